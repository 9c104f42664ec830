import Dispatch
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@Suite struct `A log` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture(segmentBytesMax: 2_000)

    @Test func `reads back what was appended, from any batch on`() throws {
        let log = try fixture.make(on: disk)
        try log.append(100)
        for first: UInt64 in [1, 2, 17, 50, 99, 100] {
            #expect(try log.batches(from: first) == expected(100, from: first))
        }
        #expect(try log.chunk(containing: 0) == nil)
        #expect(try log.chunk(containing: 101) == nil)
        while try log.sealNext() {}
        #expect(try log.batches() == expected(100))
        #expect(log.statistics.sealedSegmentCount > 3)
        try log.close()
        let (again, recovery) = try fixture.open(disk.killed())
        #expect(recovery.wasClean && recovery.cutByteCount == 0 && recovery.quarantined == nil)
        #expect(try again.batches() == expected(100))
        #expect(again.head == log.head)
    }

    @Test func `reads the newest batch with at most 8 KiB before it`() throws {
        let log = try LogFixture().make(on: disk)
        while log.statistics.contentBytes < 60 << 10 { try log.append(1) }
        let chunk = try #require(try log.chunk(containing: log.head.sequence))
        #expect(chunk.lastSequence == log.head.sequence)
        var byteCount = 0
        _ = chunk.forEach(from: 0) { _, batch in
            byteCount += batch.count
            return true
        }
        #expect(byteCount < 8 << 10)
    }

    @Test func `makes one write and no sync for a buffered append`() throws {
        let log = try fixture.make(on: disk)
        try log.append(1)
        let before = disk.operations.count
        try log.append(5)
        let done = disk.operations[before...].map(\.kind)
        #expect(done == Array(repeating: .write, count: 5))
    }

    @Test func `writes nothing for a deferred append until it must`() throws {
        let log = try fixture.make(on: disk)
        let before = disk.count(.write)
        try log.append(10, deferring: true)
        #expect(disk.count(.write) == before)
        #expect(try log.batches() == expected(10))
        #expect(disk.count(.write) == before + 1)
        try log.append(3, deferring: true)
        try log.append(1)
        try log.append(2, deferring: true)
        try log.sync(through: log.end)
        #expect(try fixture.open(disk.crashed(seed: 3)).0.batches() == expected(16))
    }

    @Test func `keeps no more deferred bytes in the process than the limit`() throws {
        var fixture = LogFixture()
        fixture.options.deferredBytesMax = 1_000
        let log = try fixture.make(on: disk)
        let start = log.end
        let before = disk.count(.write)
        var writes = 0
        while writes < 3 {
            let end = log.end
            try log.append(1, deferring: true)
            // The one that would exceed the limit takes the others with it.
            guard disk.count(.write) > before + 2 * writes else { continue }
            #expect(disk.count(.write) == before + 2 * (writes + 1))
            writes += 1
            #expect(end.byteCount - start.byteCount <= writes * (1_000 + 256))
        }
        let count = log.head.sequence
        #expect(try fixture.open(disk.killed()).0.batches() == expected(count))
    }

    @Test func `shares one sync among all waiting threads`() throws {
        let log = try fixture.make(on: disk)
        let position = try log.append(20)
        let before = disk.count(.syncFile)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            do {
                try log.sync(through: position)
            } catch {
                Issue.record(error)
            }
        }
        #expect(disk.count(.syncFile) == before + 1)
        #expect(log.durableEnd == position)
    }

    @Test func `appends a batch only as the next one`() throws {
        let log = try fixture.make(on: disk)
        try log.append(3)
        #expect(logCode { _ = try log.append([1], as: 3) } == .conflict)
        #expect(logCode { _ = try log.append([1], as: 5) } == .conflict)
        #expect(log.head.sequence == 3)
    }

    @Test func `refuses a batch that is too large, and continues`() throws {
        var fixture = fixture
        fixture.options.batchBytesMax = 100
        let log = try fixture.make(on: disk)
        let before = disk.count(.write)
        #expect(
            logCode { _ = try log.append([UInt8](repeating: 0, count: 101), as: 1) }
                == .limitExceeded)
        #expect(disk.count(.write) == before)
        _ = try log.append([100] + [UInt8](repeating: 1, count: 99), as: 1)
    }

    @Test func `syncs before more is unsynced than the bound allows`() throws {
        var fixture = LogFixture()
        fixture.options.unsyncedBytesMax = 1_000
        let log = try fixture.make(on: disk)
        for _ in 0..<100 {
            try log.append(1)
            #expect(log.end.byteCount - log.durableEnd.byteCount <= 1_000)
        }
    }

    @Test func `takes no writes after closing`() throws {
        let log = try fixture.make(on: disk)
        try log.append(2)
        try log.close()
        try log.close()
        #expect(logCode { try log.append(1) } == .closed)
    }

    @Test func `marks its durable end once while it is idle`() throws {
        let log = try fixture.make(on: disk)
        try log.append(2)
        try log.markIdle()
        let before = disk.operations.count
        try log.sync(through: log.end)
        try log.markIdle()
        try log.markIdle()
        #expect(disk.operations[before...].map(\.kind) == [.syncFile, .write, .syncFile])
    }
}

@Suite struct `A log on a failing disk` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture(segmentBytesMax: 2_000)

    @Test(arguments: [0, 1, 40, 60, 1_000])
    func `undoes a partial write, and continues (F16, F18)`(written: Int) throws {
        let log = try fixture.make(on: disk)
        try log.append(3)
        disk.inject(Fault(.write, reason: .noSpace, writtenBytes: written))
        #expect(logCode { try log.append(1) } == .diskFull)
        #expect(log.head.sequence == 3)
        #expect(try log.batches() == expected(3))
        try log.append(2)
        #expect(try fixture.open(disk.killed()).0.batches() == expected(5))
    }

    @Test func `takes no more writes if a write cannot be undone (F23)`() throws {
        let log = try fixture.make(on: disk)
        try log.append(3)
        disk.inject(Fault(.write, writtenBytes: 10))
        disk.inject(Fault(.truncate))
        #expect(logCode { try log.append(1) } == .io)
        #expect(logCode { try log.append(1) } == .durabilityLost)
        #expect(try log.batches() == expected(3))
        #expect(try fixture.open(disk.killed()).0.batches() == expected(3))
    }

    @Test func `never repeats a sync that failed (F13)`() throws {
        let log = try fixture.make(on: disk)
        let position = try log.append(3)
        disk.inject(Fault(.syncFile))
        #expect(logCode { try log.sync(through: position) } == .durabilityLost)
        let before = disk.count(.syncFile)
        #expect(logCode { try log.sync(through: position) } == .durabilityLost)
        #expect(logCode { try log.append(1) } == .durabilityLost)
        #expect(logCode { try log.close() } == .durabilityLost)
        #expect(disk.count(.syncFile) == before)
        #expect(try log.batches() == expected(3))
    }

    @Test func `rewrites what a failed sync left in the page cache (F14)`() throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: try log.append(3))
        let position = try log.append(3)
        disk.inject(Fault(.syncFile))
        #expect(logCode { try log.sync(through: position) } == .durabilityLost)
        // The next process reads them from the cache, and must make them durable.
        let killed = disk.killed()
        let (next, _) = try fixture.open(killed)
        #expect(try next.batches() == expected(6))
        for seed in 0..<20 {
            #expect(try fixture.open(killed.crashed(seed: UInt64(seed))).0.batches() == expected(6))
        }
    }

    @Test func `leaves nothing of an append that found the disk full (F16)`() throws {
        let log = try fixture.make(on: disk)
        disk.inject(Fault(.preallocate, reason: .noSpace, isLasting: true))
        #expect(logCode { try log.append(1) } == .diskFull)
        disk.heal()
        try log.append(1)
        #expect(try log.batches() == expected(1))
    }

    @Test func `reads old segments although the disk is too full for what is deferred`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount < 2 { try log.append(1) }
        let count = log.head.sequence
        try log.append(1, deferring: true)
        disk.inject(Fault(.write, reason: .noSpace, isLasting: true))
        #expect(try log.batches(through: count - 1) == expected(count - 1))
        #expect(logCode { _ = try log.chunk(containing: count + 1) } == .diskFull)
        disk.heal()
        #expect(try log.batches() == expected(count + 1))
    }

    /// A reader in another process, such as a backup, would keep it.
    @Test func `shows no reader a batch that found the disk full (F16)`() throws {
        let log = try fixture.make(on: disk)
        disk.record()
        disk.inject(Fault(.preallocate, reason: .noSpace))
        #expect(logCode { try log.append(1) } == .diskFull)
        #expect(disk.snapshots.count > 1)
        for snapshot in disk.snapshots {
            #expect(try fixture.inspect(snapshot.disk).head.sequence == 0)
        }
    }

    @Test func `reads no batch that changed on the disk after it was written`() throws {
        let log = try fixture.make(on: disk)
        try log.append(3)
        let path = "events/00000000000000000001.open"
        var bytes = try #require(disk.contents[path])
        let batch = LogFixture.batch(2)
        let place = try #require(
            bytes.indices.first { bytes[$0...].starts(with: batch) })
        bytes[place + batch.count - 1] ^= 1
        disk.overwrite(path, with: bytes)
        #expect(logCode { _ = try log.batches() } == .corrupt)
    }
}
