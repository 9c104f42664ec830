import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Reading with a list of segments that was true before a merge.
@Suite struct `A reader beside merges` {
    private let fixture = SessionLog.fixture
    private let disk = SimulatedDisk()
    private let batchCounts = [Int](repeating: 6, count: 24)
    private let count: UInt64 = 144

    private func follower(on disk: any Disk) throws -> LogFollower {
        try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
    }

    @Test func `of another process reads everything as of its opening`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let follower = try follower(on: disk)
        let sealed = disk.sealed
        #expect(try log.mergeAll() > 2)
        #expect(disk.sealed.count < sealed.count / 3)
        try log.append(6)
        try log.seal()
        try log.mergeAll()
        #expect(follower.head.sequence == count)
        #expect(try follower.batches() == expected(count))
        #expect(try follower.refresh())
        #expect(try follower.batches() == expected(count + 6))
        #expect(follower.statistics?.sealedSegmentCount == log.sealedNames.count)
    }

    /// Between any two chunks, and before any access to a file: each opening of a file by the
    /// reader lets the writer seal or merge once more.
    @Test func `meets a merge at any step of a read`() throws {
        var log = try SessionLog.make(batchCounts, on: disk)
        let hooked = HookedDisk(disk)
        let follower = try follower(on: hooked)
        let mergeCount = Locked(0)
        let writer = Locked(log)
        hooked.beforeEach { operation, _ in
            guard operation == .open || operation == .list else { return }
            writer.withLock { log in
                do {
                    if try log.mergeNext() { return mergeCount.withLock { $0 += 1 } }
                    try log.append(7)
                    try log.seal()
                } catch {
                    Issue.record(error)
                }
            }
        }
        for _ in 0..<3 {
            #expect(try follower.batches() == expected(count))
            for sequence in stride(from: count, to: 0, by: -7) {
                let chunk = try #require(try follower.chunk(containing: sequence))
                #expect((chunk.firstSequence...chunk.lastSequence).contains(sequence))
            }
        }
        hooked.beforeEach(nil)
        #expect(mergeCount.withLock { $0 } > 20)
        log = writer.withLock { $0 }
        #expect(try log.batches() == expected(log.head.sequence))
    }

    @Test func `begins anew as long as the writer changes files`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let hooked = HookedDisk(disk)
        let (changeCount, writer) = (Locked(0), Locked(log))
        hooked.beforeEach { [disk] operation, path in
            guard operation == .open, path.hasSuffix(".zst"), changeCount.withLock({ $0 < 50 })
            else { return }
            changeCount.withLock { $0 += 1 }
            writer.withLock { log in
                do {
                    try log.append(6)
                    try log.seal()
                } catch {
                    Issue.record(error)
                }
            }
            disk.inject(Fault(.open, reason: .system(System.notFound)))
        }
        let follower = try follower(on: hooked)
        #expect(changeCount.withLock { $0 } == 50)
        #expect(try follower.batches() == expected(count + 300))
        // But not for ever, if nothing changes.
        disk.inject(Fault(.open, reason: .system(System.notFound), isLasting: true))
        #expect(failure(as: LogError.self) { _ = try self.follower(on: disk) }?.code == .io)
    }

    /// In a log of many files, one is always gone before it is opened.
    @Test func `opens each segment once, however often it begins anew`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let fileCount = log.sealedNames.count + 1
        for count in stride(from: 1, to: fileCount, by: 2) {
            disk.inject(Fault(.open, after: count, reason: .system(System.notFound)))
        }
        let before = disk.count(.open)
        let follower = try follower(on: disk)
        // Those that were met by a fault, and the active one in each attempt.
        #expect(disk.count(.open) - before <= fileCount + 2 * (fileCount / 2))
        #expect(try follower.batches() == expected(count))
    }

    @Test func `opens only new segments when it looks again`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let follower = try follower(on: disk)
        try log.append(6)
        try log.seal()
        let before = disk.count(.open)
        #expect(try follower.refresh())
        // The new sealed segment, and the one that is written.
        #expect(disk.count(.open) - before <= 3)
        #expect(try follower.batches() == expected(count + 6))
    }

    @Test func `lists a directory once for each merged segment, not for each read`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let follower = try follower(on: disk)
        try log.mergeAll()
        #expect(try follower.batches() == expected(count))
        let before = disk.count(.list)
        #expect(try follower.batches() == expected(count))
        #expect(disk.count(.list) == before)
    }

    @Test func `in the same process reads beside merges`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        var next: UInt64 = 1
        while next <= count {
            let chunk = try #require(try log.chunk(containing: next))
            _ = try log.mergeNext()
            _ = chunk.forEach(from: next) { sequence, bytes in
                #expect([UInt8](bytes) == LogFixture.batch(sequence))
                return true
            }
            next = chunk.lastSequence + 1
        }
        #expect(try log.batches() == expected(count))
    }

    /// A log that is closed, or suspended while another process writes, still answers questions
    /// about the past.
    @Test(arguments: [false, true])
    func `of a closed or suspended log reads what another process has merged`(
        isSuspended: Bool
    ) throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        if isSuspended {
            log.suspend()
        } else {
            try log.close()
        }
        let (next, _) = try fixture.open(disk)
        #expect(try next.mergeAll() > 2)
        #expect(try log.batches() == expected(count))
        #expect(try next.batches() == expected(count))
        try next.close()
        guard isSuspended else { return }
        try log.resume(after: fixture.inspect(disk))
        #expect(try log.batches() == expected(count))
        #expect(log.sealedNames == next.sealedNames)
    }

    @Test func `takes no other file for the merged one`() throws {
        let log = try SessionLog.make(batchCounts, on: disk)
        let follower = try follower(on: disk)
        // The same numbers, in another history.
        let other = SimulatedDisk()
        let fork = try fixture.make(on: other)
        _ = try fork.append([3, 1, 1], as: 1)
        try fork.append(5)
        for _ in 0..<20 {
            try fork.append(6)
            try fork.seal()
        }
        try fork.mergeAll()
        for name in disk.sealed { disk.erase(name) }
        for name in other.sealed { disk.overwrite(name, with: try #require(other.contents[name])) }
        #expect(logCode { _ = try follower.batches() } == .segmentMissing)
        for name in other.sealed { disk.overwrite(name, with: [1, 2, 3]) }
        #expect(logCode { _ = try follower.batches() } == .segmentMissing)
        for name in other.sealed { disk.erase(name) }
        #expect(logCode { _ = try log.batches() } == .segmentMissing)
        disk.inject(Fault(.list, isLasting: true))
        #expect(logCode { _ = try log.batches() } == .io)
    }
}
