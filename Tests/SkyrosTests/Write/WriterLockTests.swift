import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The writer lock` {
    @Test func `refuses a queued block for which there is no thread (F76)`() throws {
        let lock = WriterLock(queue: SerialQueue { _ in EAGAIN })
        #expect(throws: ThreadShortage.self) { try lock.enqueue { Issue.record("it runs") } }
        // Synchronous writes need no thread.
        try lock.lock()
        lock.unlock()
    }

    @Test(.mayHang) func `is not waited for after jobs that are paused meanwhile`() throws {
        let lock = WriterLock()
        let hasRun = Monitor(false)
        try lock.lock()
        try lock.enqueue { hasRun.change { $0 = true } }
        let isDone = Monitor(false)
        Thread.detachNewThread {
            do {
                try lock.lock(afterAllJobs: true)
                lock.unlock()
            } catch {
                Issue.record(error)
            }
            isDone.change { $0 = true }
        }
        while !lock.state.withLock({ !$0.threads.isEmpty }) { sched_yield() }
        lock.pauseJobs()
        lock.unlock()
        isDone.wait { $0 ? () : nil }
        #expect(!hasRun.withLock { $0 })
        lock.continueJobs()
        hasRun.wait { $0 ? () : nil }
    }

    /// Each round is one of a suspended store: a block is queued, and resuming locks.
    @Test func `is free for every thread while the queued jobs are paused`() throws {
        var state = WriterLockState()
        state.arePaused = true
        _ = try state.add(QueuedJob(caller: .current, isBounded: true) {})
        for _ in 0..<100 {
            let isLocked = state.tryLock(.current)
            try #require(isLocked)
            _ = state.unlock()
        }
        guard case .start = state.continueJobs() else {
            Issue.record("the job is not started")
            return
        }
    }

    @Test func `lets others go first only for a while if a thread was woken while jobs are paused`()
        throws
    {
        var state = WriterLockState()
        state.arePaused = true
        _ = state.tryLock(.current)
        _ = try state.add(QueuedJob(caller: .current, isBounded: true) {})
        let sleeping = state.addThread(afterJobsOf: nil)
        guard case .wake = state.unlock() else {
            Issue.record("the thread is not woken")
            return
        }
        var bargingCount = 0
        while bargingCount < 1_000, state.tryLock(.current) {
            bargingCount += 1
            _ = state.unlock()
        }
        #expect(bargingCount == 32)
        let hasLocked = state.tryLock(.current, asWoken: sleeping)
        #expect(hasLocked)
        _ = state.unlock()
        let isFree = state.tryLock(.current)
        #expect(isFree)
    }
}
