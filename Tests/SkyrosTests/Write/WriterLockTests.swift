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
}
