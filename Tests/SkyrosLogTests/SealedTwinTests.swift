import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@Suite struct `A sealed segment beside its open file` {
    private let fixture = LogFixture(segmentBytesMax: 900)
    private let disk = SimulatedDisk()
    private let first = "events/00000000000000000001"

    /// A log of two segments. The first one exists open and sealed, as a crash can leave it.
    private func log() throws -> (FileLog, count: UInt64) {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        let open = try #require(disk.contents["\(first).open"])
        _ = try log.sealNext()
        try log.close()
        disk.overwrite("\(first).open", with: open)
        return (log, log.head.sequence)
    }

    @Test func `is replaced and sealed again`() throws {
        let (_, count) = try log()
        let (again, recovery) = try fixture.open(disk.killed())
        #expect(recovery.wasClean)
        #expect(try again.batches() == expected(count))
        #expect(again.statistics.sealedSegmentCount == 0)
        while try again.sealNext() {}
        #expect(again.statistics.sealedSegmentCount == 1)
        #expect(try again.batches() == expected(count))
    }

    @Test func `is not the end of the log`() throws {
        let (_, count) = try log()
        let active = try #require(disk.contents.keys.filter { $0.hasPrefix("events/") }.max())
        disk.erase(active)
        #expect(logCode { _ = try fixture.open(disk) } == .segmentMissing)
        #expect(count > 1)
    }

    @Test func `is not read after another file replaced it`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount < 3 { try log.append(1) }
        while try log.sealNext() {}
        try log.close()
        #expect(try log.batches() == expected(log.head.sequence))
        let (first, second) = (
            "\(first).zst",
            try #require(
                disk.contents.keys.filter { $0.hasSuffix(".zst") }.max())
        )
        disk.overwrite(first, with: try #require(disk.contents[second]))
        #expect(logCode { _ = try log.batches() } == .segmentMissing)
    }

    @Test func `is refused if the two differ`() throws {
        _ = try log()
        let path = "\(first).open"
        let bytes = try #require(disk.contents[path])
        disk.overwrite(path, with: Array(bytes.prefix(500)))
        #expect(logCode { _ = try fixture.open(disk) } == .chainBroken)
    }

    @Test func `loses nothing if a power cut removes it after a failed sync`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        try log.sync(through: log.end)
        let count = log.head.sequence
        disk.inject(Fault(.syncDirectory))
        #expect(logCode { _ = try log.sealNext() } == .durabilityLost)
        let killed = disk.killed()
        let (next, _) = try fixture.open(killed)
        while try next.sealNext() {}
        for seed in 0..<20 {
            let crashed = killed.crashed(seed: UInt64(seed))
            #expect(try fixture.open(crashed).0.batches() == expected(count))
        }
    }
}
