import Foundation
import SkyrosDisk
import SkyrosTesting
import Synchronization
import TestSupport
import Testing

@testable import SkyrosLog

@Suite(.mayHang) struct `Suspending a log` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture()

    @Test func `writes what was deferred, however long another thread has the log's state (F1)`()
        throws
    {
        let log = try fixture.make(on: disk)
        try log.append(1)
        try log.append(1, deferring: true)
        let isHeld = Monitor(false)
        Thread.detachNewThread {
            log.state.withLock { _ in
                isHeld.change { $0 = true }
                while !log.isSuspended.load(ordering: .sequentiallyConsistent) {
                    System.yieldThread()
                }
                for _ in 0..<3_000 { System.yieldThread() }
            }
        }
        isHeld.wait { $0 ? () : nil }
        log.suspend()
        #expect(try fixture.open(disk.killed()).0.batches() == expected(2))
    }

    /// One thread waits for the end of all syncs while the next leader is chosen, but has not begun
    /// its sync. This test takes the part of the leader before it.
    @Test func `ends the wait of a thread that came between two syncs`() throws {
        let log = try fixture.make(on: disk)
        let position = try log.append(1)
        log.state.withLock { $0.isSyncing = true }
        let results = Monitor<[Bool]>([])
        Thread.detachNewThread {
            let error = failure(as: LogError.self) { try log.sync(through: position) }
            results.change { $0.append(error == nil) }
        }
        Self.wait(for: log) { $0.nextGroup != nil }
        Thread.detachNewThread {
            log.waitForSync()
            results.change { $0.append(true) }
        }
        Self.wait(for: log) { $0.currentGroup != nil }
        log.state.withLock { _ = $0.nextGroup?.promoteLeader() }
        #expect(results.wait { $0.count == 2 ? $0 : nil } == [true, true])
        #expect(log.durableEnd == position)
    }

    /// The only thread of a group cannot begin its sync. This test takes the part of the leader
    /// before it.
    @Test func `waits for no sync that no thread is left to lead`() throws {
        let log = try fixture.make(on: disk)
        let position = try log.append(1, deferring: true)
        log.state.withLock { $0.isSyncing = true }
        let code = Monitor<LogError.Code?>(nil)
        Thread.detachNewThread {
            let error = failure(as: LogError.self) { try log.sync(through: position) }
            code.change { $0 = error?.code }
        }
        Self.wait(for: log) { $0.nextGroup != nil }
        disk.inject(Fault(.write, reason: .noSpace))
        log.state.withLock { _ = $0.nextGroup?.promoteLeader() }
        #expect(code.wait { $0 } == .diskFull)
        try #require(!log.state.withLock(\.isSyncing))
        log.suspend()
        log.waitForSync()
        try log.resume(after: fixture.inspect(disk))
        #expect(try log.batches() == expected(1))
    }

    private static func wait(
        for log: FileLog, until isMet: (FileLog.State) -> Bool
    ) {
        while !log.state.withLock({ isMet($0) }) { System.yieldThread() }
    }
}
