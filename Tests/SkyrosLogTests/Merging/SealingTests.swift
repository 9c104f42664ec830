import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

@Suite struct `A segment that ends before it is full` {
    private let fixture = SessionLog.fixture
    private let disk = SimulatedDisk()

    @Test func `holds more than the threshold of content, whatever its marks take`() throws {
        let log = try fixture.make(on: disk)
        _ = try log.append([UInt8](repeating: 0, count: 150), as: 1)
        for _ in 0..<20 {
            try log.sync(through: log.end)
            try log.markIdle()
        }
        _ = try log.append([UInt8](repeating: 0, count: 150), as: 2)
        try log.sync(through: log.end)
        #expect(!log.isActiveSealable)
        #expect(try !log.endSegment(after: 2, at: 2))
        _ = try log.append([7], as: 3)
        try log.sync(through: log.end)
        #expect(log.isActiveSealable)
        #expect(try log.endSegment(after: 3, at: 77))
        #expect(try log.sealNext())
        #expect(log.statistics.contentBytes == 301 + OpeningPayload.blockByteCount(disk))
        let sealed = try #require(log.state.withLock { $0.catalog.sealed.first })
        #expect(sealed.index.timeAfter == 77 && sealed.contentByteCount == 301)
        #expect(log.state.withLock { $0.catalog.active.header.timeBefore } == 77)
    }

    @Test func `does not end while something is not durable, or was appended since`() throws {
        let log = try fixture.make(on: disk)
        try log.append(8)
        #expect(try !log.endSegment(after: 8, at: 8))
        try log.append(1, deferring: true)
        #expect(try !log.endSegment(after: 9, at: 9))
        try log.sync(through: log.end)
        #expect(try !log.endSegment(after: 8, at: 8))
        #expect(try log.endSegment(after: 9, at: 9))
        #expect(try !log.endSegment(after: 9, at: 9))
        #expect(log.statistics.segmentCount == 2)
    }

    @Test func `does not end while a sync is in progress`() throws {
        let gated = GatedDisk(disk)
        gated.allowSyncs(.max)
        let log = try fixture.make(on: gated)
        try log.append(8)
        try log.sync(through: log.end)
        let begun = gated.blockSyncs()
        let sync = Monitor<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try log.markIdle() }
            sync.change { $0 = result }
        }
        gated.waitForSyncs(begun + 1)
        #expect(try !log.endSegment(after: 8, at: 8))
        gated.allowSyncs(.max)
        try sync.wait { $0 }.get()
        #expect(try log.endSegment(after: 8, at: 8))
    }

    @Test func `does not end in a suspended or closed log`() throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(8))
        log.suspend()
        #expect(logCode { _ = try log.endSegment(after: 8, at: 8) } == .suspended)
        try log.resume(after: fixture.inspect(disk))
        try log.close()
        #expect(logCode { _ = try log.endSegment(after: 8, at: 8) } == .closed)
        #expect(logCode { _ = try log.mergeNext() } == .closed)
        #expect(log.statistics.segmentCount == 1)
    }

    @Test(arguments: [SimulatedDisk.Kind.syncFile, .syncDirectory])
    func `stops all writes if the sync of its successor fails (F13, F15)`(
        kind: SimulatedDisk.Kind
    ) throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(8))
        disk.inject(Fault(kind))
        #expect(logCode { _ = try log.endSegment(after: 8, at: 8) } == .durabilityLost)
        #expect(logCode { try log.append(1) } == .durabilityLost)
        for seed in 0..<UInt64(20) {
            #expect(try fixture.open(disk.crashed(seed: seed)).0.batches() == expected(8))
        }
    }

    /// A phone that is locked refuses access to the file: a part of a block may be left in it.
    @Test func `is cut off after its last whole block first`() throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(8))
        let refused = Fault.Reason.system(System.accessDenied)
        disk.inject(Fault(.write, reason: refused, writtenBytes: 60))
        disk.inject(Fault(.truncate, reason: refused))
        #expect(logCode { try log.append(1) } == .io)
        #expect(try log.endSegment(after: 8, at: 8))
        try log.append(3)
        let killed = disk.killed()
        #expect(try fixture.open(killed).0.batches() == expected(11))
        #expect(try fixture.scan(killed).damages.isEmpty)
    }

    /// Preallocated space would be written, and cut off in the same moment.
    @Test func `leaves a successor whose closing preallocates nothing`() throws {
        let log = try fixture.make(on: disk)
        try log.append(8)
        try log.seal()
        let before = disk.count(.preallocate)
        try log.close()
        #expect(disk.count(.preallocate) == before)
        #expect(disk.contents.values.reduce(0) { $0 + $1.count } < 2_000)
        let (next, recovery) = try fixture.open(disk)
        #expect(recovery.wasClean)
        #expect(try next.batches() == expected(8))
    }

    /// Suspends the disk before each operation of sealing and merging: the rest is refused, and
    /// another process may open the log then.
    @Test func `or is merged while the log is suspended leaves a log for others`() throws {
        var index = 0
        while true {
            let disk = SimulatedDisk()
            let hooked = HookedDisk(disk)
            let log = try SessionLog.make([6, 7, 8, 6, 9], on: hooked)
            try log.append(9)
            try log.sync(through: log.end)
            let remaining = Locked(index)
            hooked.beforeEach { _, _ in
                let isDue = remaining.withLock { count in
                    defer { count -= 1 }
                    return count == 0
                }
                guard isDue else { return }
                log.suspend()
                disk.suspend()
            }
            var code: LogError.Code?
            do throws(LogError) {
                _ = try log.endSegment(after: 45, at: 45)
                while try log.sealNext() {}
                while try log.mergeNext() {}
            } catch {
                code = error.code
            }
            hooked.beforeEach(nil)
            let wasSuspended = remaining.withLock { $0 < 0 }
            #expect(code == (wasSuspended ? .suspended : nil), "operation \(index)")
            guard wasSuspended else { break }
            #expect(try log.batches() == expected(45))
            disk.resume()
            let (other, _) = try fixture.open(disk)
            #expect(try other.batches() == expected(45), "operation \(index)")
            try other.append(5)
            try other.seal()
            try other.mergeAll()
            try other.close()
            try log.resume(after: fixture.inspect(hooked))
            #expect(try log.batches() == expected(50), "operation \(index)")
            try log.append(9)
            try log.seal()
            try log.mergeAll()
            #expect(try log.batches() == expected(59))
            index += 1
        }
        #expect(index > 20)
    }
}

extension OpeningPayload {
    /// The size of the block with which a segment begins.
    fileprivate static func blockByteCount(_ disk: SimulatedDisk) -> Int {
        Block.byteCount(payload: OpeningPayload(on: disk).bytes.count)
    }
}
