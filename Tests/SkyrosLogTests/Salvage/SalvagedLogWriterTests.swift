import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

@Suite struct `A salvaged log` {
    private let fixture = LogFixture(segmentBytesMax: 900)

    private func copy(_ count: UInt64, onto disk: SimulatedDisk) throws -> SalvagedLogWriter {
        let copy = SalvagedLogWriter(
            for: fixture.storeID, on: disk, fixture.options, entropy: SeededEntropy(seed: 3))
        do {
            try copy.begin()
            for number in 1...count {
                try LogFixture.batch(number).withUnsafeBytes { bytes in
                    try copy.append(bytes, time: Int64(number))
                }
            }
            try copy.finish()
        } catch {
            copy.discard()
            throw error
        }
        return copy
    }

    @Test(arguments: [1, 7, 8, 60] as [UInt64])
    func `is opened and continued as any log`(count: UInt64) throws {
        let disk = SimulatedDisk()
        let original = try fixture.make(on: SimulatedDisk())
        try original.append(Int(count))
        #expect(try copy(count, onto: disk).head == original.head)
        let (log, recovery) = try fixture.open(disk.crashed(seed: 1))
        #expect(recovery == LogRecovery())
        #expect(log.head == original.head)
        #expect(try log.batches() == expected(count))
        let active = log.state.withLock { $0.catalog.active.header }
        #expect(active.timeBefore == Int64(active.firstSequence - 1))
        try log.append(1)
        #expect(try log.batches() == expected(count + 1))
        #expect(log.statistics.segmentCount > 3 || count < 60)
    }

    /// At any operation the process ends, or the disk fails for good; then the power is cut.
    @Test func `is not a log if its writing is interrupted`() throws {
        let whole = SimulatedDisk()
        _ = try copy(40, onto: whole)
        let total = whole.operations.count
        var unfinished = 0
        for step in 0..<total {
            let disk = SimulatedDisk()
            disk.inject(Fault(nil, after: step, isLasting: true))
            let isDone = logCode { _ = try copy(40, onto: disk) } == nil
            for seed in 0..<6 {
                let left = seed == 0 ? disk.killed() : disk.crashed(seed: UInt64(seed))
                let count = looksLikeALog(left)
                if count == nil { unfinished += 1 }
                #expect(count == nil || count == 40, "operation \(step), seed \(seed)")
                if isDone { #expect(count == 40, "operation \(step), seed \(seed)") }
            }
        }
        #expect(unfinished > total)
    }

    /// After an error, the disk works again.
    @Test func `is removed if its writing fails`() throws {
        let whole = SimulatedDisk()
        _ = try copy(40, onto: whole)
        for step in 0..<whole.operations.count {
            let disk = SimulatedDisk()
            disk.inject(Fault(nil, after: step, reason: .noSpace))
            guard let code = logCode({ _ = try copy(40, onto: disk) }) else { continue }
            #expect(code == .diskFull, "operation \(step)")
            #expect(disk.contents.isEmpty, "operation \(step)")
        }
    }

    /// The number of batches of an intact log on the disk; nil if there is none.
    private func looksLikeALog(_ disk: SimulatedDisk) -> UInt64? {
        guard let inspection = try? fixture.inspect(disk), inspection.storeID != nil,
            inspection.refusal == nil
        else { return nil }
        return inspection.head.sequence
    }
}
