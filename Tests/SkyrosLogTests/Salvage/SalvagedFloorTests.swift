import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

@Suite struct `A salvaged log with a floor` {
    private let pruned: PrunedLog
    private let floor: LogFloor

    init() throws {
        pruned = try PrunedLog()
        floor = try pruned.opened()
    }

    private func copy(onto disk: SimulatedDisk) throws {
        let copy = SalvagedLogWriter(
            for: pruned.fixture.storeID, after: floor, on: disk, pruned.fixture.options,
            entropy: SeededEntropy(seed: 3))
        do {
            try copy.begin()
            for number in pruned.kept {
                try LogFixture.batch(number).withUnsafeBytes { bytes in
                    try copy.append(bytes, time: Int64(number))
                }
            }
            try copy.finish()
        } catch {
            copy.discard()
            throw error
        }
    }

    @Test func `is opened and continued as any log`() throws {
        let disk = SimulatedDisk()
        try copy(onto: disk)
        let (log, recovery) = try pruned.fixture.open(disk.crashed(seed: 1))
        let (original, _) = try pruned.fixture.open(pruned.disk.killed())
        #expect(recovery == LogRecovery())
        #expect(log.head == original.head && log.beginning == original.beginning)
        #expect(try log.floor?.bytes() == floor.bytes())
        #expect(log.storeID == original.storeID)
        try log.append(1)
        let batches = try log.batches(from: pruned.first)
        #expect(batches == expected(pruned.log.count + 1, from: pruned.first))
        #expect(try pruned.fixture.scan(disk).damages.isEmpty)
    }

    @Test func `may end with the floor`() throws {
        let disk = SimulatedDisk()
        let copy = SalvagedLogWriter(
            for: pruned.fixture.storeID, after: floor, on: disk, pruned.fixture.options,
            entropy: SeededEntropy(seed: 3))
        #expect(copy.head == floor.head)
        try copy.begin()
        try copy.finish()
        let (log, _) = try pruned.fixture.open(disk)
        #expect(log.head == floor.head)
        #expect(log.state.withLock { $0.catalog.active.header.timeBefore } == floor.time)
        try log.append(2)
        let batches = try log.batches(from: pruned.first)
        #expect(batches == expected(pruned.first + 1, from: pruned.first))
    }

    /// At any operation the process ends, or the disk fails for good; then the power is cut.
    @Test func `is not a log if its writing is interrupted`() throws {
        let whole = SimulatedDisk()
        try copy(onto: whole)
        var unfinished = 0
        for step in 0..<whole.operations.count {
            let disk = SimulatedDisk()
            disk.inject(Fault(nil, after: step, isLasting: true))
            let isDone = logCode { try copy(onto: disk) } == nil
            for seed in 0..<4 {
                let left = seed == 0 ? disk.killed() : disk.crashed(seed: UInt64(seed))
                let inspection = try? pruned.fixture.inspect(left)
                let isLog = inspection?.storeID != nil && inspection?.refusal == nil
                let end = isLog ? inspection?.head.sequence : nil
                if end == nil { unfinished += 1 }
                #expect(end == nil || end == pruned.log.count, "operation \(step), seed \(seed)")
                if end != nil { #expect(inspection?.floor?.firstSequence == pruned.first) }
                if isDone { #expect(end == pruned.log.count, "operation \(step), seed \(seed)") }
            }
        }
        #expect(unfinished > whole.operations.count)
    }

    @Test func `is removed if its writing fails`() throws {
        let whole = SimulatedDisk()
        try copy(onto: whole)
        for step in 0..<whole.operations.count {
            let disk = SimulatedDisk()
            disk.inject(Fault(nil, after: step, reason: .noSpace))
            guard logCode({ try copy(onto: disk) }) != nil else { continue }
            #expect(disk.contents.isEmpty, "operation \(step)")
        }
    }

    @Test func `is not written of a floor that is damaged`() throws {
        pruned.log.flip(pruned.floor, at: floor.frames.frames[1].offset + 9)
        let disk = SimulatedDisk()
        #expect(logCode { try copy(onto: disk) } == .corrupt)
        #expect(disk.contents.isEmpty)
    }
}
