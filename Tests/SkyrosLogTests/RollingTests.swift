import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `A full segment` {
    private let fixture = LogFixture(segmentBytesMax: 900)
    private let disk = SimulatedDisk()

    /// Appends until the active segment is full, so that the next append starts another one.
    private func fullLog() throws -> FileLog {
        let log = try fixture.make(on: disk)
        while log.statistics.fileBytes < 900 { try log.append(1) }
        try log.sync(through: log.end)
        return log
    }

    @Test(arguments: [SimulatedDisk.Kind.syncFile, .syncDirectory])
    func `stops all writes if a sync fails while its successor is created (F13, F15)`(
        kind: SimulatedDisk.Kind
    ) throws {
        let log = try fullLog()
        let count = log.head.sequence
        disk.inject(Fault(kind))
        #expect(logCode { try log.append(1) } == .durabilityLost)
        let before = disk.operations.count
        #expect(logCode { try log.append(1) } == .durabilityLost)
        #expect(disk.operations.count == before)
        #expect(try log.batches() == expected(count))
        for seed in 0..<20 {
            let crashed = disk.crashed(seed: UInt64(seed))
            #expect(try fixture.open(crashed).0.batches() == expected(count))
        }
    }

    @Test(arguments: [SimulatedDisk.Kind.syncFile, .syncDirectory])
    func `stops all writes if a sync fails while it is sealed`(kind: SimulatedDisk.Kind) throws {
        let log = try fullLog()
        try log.sync(through: log.append(1))
        let count = log.head.sequence
        disk.inject(Fault(kind))
        #expect(logCode { _ = try log.sealNext() } == .durabilityLost)
        let before = disk.operations.count
        #expect(logCode { _ = try log.sealNext() } == .durabilityLost)
        #expect(logCode { try log.append(1) } == .durabilityLost)
        #expect(disk.operations.count == before)
        #expect(try log.batches() == expected(count))
        for seed in 0..<20 {
            let crashed = disk.crashed(seed: UInt64(seed))
            #expect(try fixture.open(crashed).0.batches() == expected(count))
        }
    }

    /// The directory's second sync would succeed, but the first may have lost the name.
    @Test func `stops all writes if the directory's sync fails on another thread`() throws {
        let held = GatedDisk(SimulatedDisk())
        held.allowSyncs(.max)
        let log = try fixture.make(on: held)
        while log.statistics.fileBytes < 900 { try log.append(1) }
        let endedBytes = log.statistics.fileBytes
        repeat { try log.append(1) } while log.statistics.fileBytes - endedBytes < 900
        try log.sync(through: log.end)
        try #require(log.statistics.segmentCount == 2)
        let count = log.head.sequence
        let codes = Locked<[LogError.Code?]>([])
        held.disk.inject(Fault(.syncDirectory))
        // The sealed file exists, and the log does not know it yet.
        held.beforeNextRemoval {
            let code = logCode { try log.append(1) }
            codes.withLock { $0.append(code) }
        }
        let syncCount = held.disk.operations.count { $0.kind == .syncDirectory }
        #expect(logCode { _ = try log.sealNext() } == .durabilityLost)
        #expect(codes.withLock { $0 } == [.durabilityLost])
        #expect(held.disk.operations.count { $0.kind == .syncDirectory } == syncCount + 1)
        for seed in 0..<20 {
            let crashed = held.disk.crashed(seed: UInt64(seed))
            #expect(try fixture.open(crashed).0.batches() == expected(count))
        }
    }

    @Test(arguments: [SimulatedDisk.Kind.create, .write, .rename])
    func `stays as it is if the disk is full, and tries again later (F17)`(
        kind: SimulatedDisk.Kind
    ) throws {
        let log = try fullLog()
        let count = log.head.sequence
        let before = disk.contents
        disk.inject(Fault(kind, reason: .noSpace, writtenBytes: 50))
        #expect(logCode { try log.append(1) } == .diskFull)
        // The mark of the end may be there already.
        #expect(disk.contents.keys == before.keys)
        #expect(try fixture.inspect(disk.killed()).head == log.head)
        try log.append(1)
        #expect(try log.batches() == expected(count + 1))
        let first = try #require(disk.contents["events/00000000000000000001.open"])
        #expect(first.indices.count { first[$0...].starts(with: [0xB5, 5, 0, 0]) } == 1)
    }

    @Test func `says that it has ended, and syncs it, before it has a successor (F73)`() throws {
        let log = try fullLog()
        let before = disk.operations.count
        try log.append(1)
        let kinds = disk.operations[before...].map(\.kind)
        let synced = try #require(kinds.firstIndex(of: .syncFile))
        #expect(kinds[..<synced].contains(.write))
        #expect(try #require(kinds.firstIndex(of: .create)) > synced)
    }

    @Test func `does not end before it holds a batch`() throws {
        let fixture = LogFixture(segmentBytesMax: 300)
        try fixture.make(on: disk).close()
        // Each opening leaves two blocks.
        for _ in 0..<10 { try fixture.open(disk).0.close() }
        let log = try fixture.open(disk).0
        #expect(log.statistics.fileBytes > 900)
        try log.append(3)
        while try log.sealNext() {}
        #expect(try log.batches() == expected(3))
        try log.close()
    }
}
