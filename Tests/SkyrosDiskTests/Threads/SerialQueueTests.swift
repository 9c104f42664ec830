import Foundation
import SkyrosDisk
import Testing

@Suite struct `A serial queue` {
    private let done = Locked<[Int]>([])

    private func job(_ number: Int) -> SerialQueue.Job {
        { [done] in done.withLock { $0.append(number) } }
    }

    @Test func `runs its jobs in order, on one other thread`() {
        let queue = SerialQueue()
        let threads = Locked<Set<ThreadID>>([])
        for number in 0..<1_000 {
            queue.run(job(number))
            queue.run { threads.withLock { _ = $0.insert(.current) } }
        }
        queue.stop()
        #expect(done.withLock { $0 } == Array(0..<1_000))
        #expect(threads.withLock { $0.count } == 1)
        #expect(threads.withLock { !$0.contains(.current) })
    }

    @Test func `stops after all its jobs, and accepts no more`() {
        let queue = SerialQueue()
        let isOpen = Monitor(false)
        queue.run { isOpen.wait { $0 ? () : nil } }
        for number in 0..<10 { queue.run(job(number)) }
        isOpen.change { $0 = true }
        queue.stop()
        #expect(done.withLock { $0 } == Array(0..<10))
        queue.run(job(10))
        queue.stop()
        #expect(done.withLock { $0.count } == 10)
    }

    @Test func `runs jobs that its jobs enqueue, until one of them stops it`() {
        let queue = SerialQueue()
        let hasEnded = Monitor(false)
        queue.run { [self] in
            queue.run(job(1))
            queue.run { [self] in
                queue.stop()
                queue.run(job(3))
                hasEnded.change { $0 = true }
            }
            queue.run(job(2))
        }
        hasEnded.wait { $0 ? () : nil }
        queue.stop()
        #expect(done.withLock { $0 } == [1, 2])
    }

    @Test func `finishes its jobs after its last reference is gone`() {
        let hasEnded = Monitor(false)
        do {
            let queue = SerialQueue()
            for number in 0..<100 { queue.run(job(number)) }
            queue.run { hasEnded.change { $0 = true } }
        }
        hasEnded.wait { $0 ? () : nil }
        #expect(done.withLock { $0 } == Array(0..<100))
    }

    @Test func `releases a job after it ran`() {
        final class Witness: Sendable {
            let hasEnded: Monitor<Bool>
            init(_ hasEnded: Monitor<Bool>) { self.hasEnded = hasEnded }
            deinit { hasEnded.change { $0 = true } }
        }
        let queue = SerialQueue()
        let hasEnded = Monitor(false)
        do {
            let witness = Witness(hasEnded)
            queue.run { _ = witness.hasEnded }
        }
        hasEnded.wait { $0 ? () : nil }
        queue.stop()
    }

    @Test func `refuses jobs while there is no thread, and runs them later (F76)`() throws {
        let hasThreads = Locked(false)
        let queue = SerialQueue { body in
            hasThreads.withLock { $0 } ? SerialQueue.startThread(body) : EAGAIN
        }
        for number in 0..<2 {
            let error = #expect(throws: ThreadShortage.self) { try queue.enqueue(job(number)) }
            #expect(error?.code == EAGAIN)
        }
        hasThreads.withLock { $0 = true }
        try queue.enqueue(job(2))
        queue.stop()
        #expect(done.withLock { $0 } == [2])
    }

    @Test func `refuses the job of each thread that counted on a thread that is refused (F76)`() {
        let shared = Locked<SerialQueue?>(nil)
        let isAsked = Locked(false)
        let wasRefused = Monitor<Bool?>(nil)
        let other = job(2)
        let queue = SerialQueue { _ in
            let isFirst = isAsked.withLock { isAsked in
                defer { isAsked = true }
                return !isAsked
            }
            guard isFirst, let queue = shared.withLock({ $0 }) else { return EAGAIN }
            Thread.detachNewThread {
                let error = #expect(throws: ThreadShortage.self) { try queue.enqueue(other) }
                wasRefused.change { $0 = error != nil }
            }
            // The other thread has time to enqueue its job, unless it has to wait.
            for _ in 0..<1_000 where wasRefused.withLock({ $0 == nil }) { System.yieldThread() }
            return EAGAIN
        }
        shared.withLock { $0 = queue }
        #expect(throws: ThreadShortage.self) { try queue.enqueue(job(1)) }
        #expect(wasRefused.wait { $0 })
        shared.withLock { $0 = nil }
        queue.stop()
        #expect(done.withLock { $0 } == [])
    }

    @Test func `that was refused a thread can be stopped (F76)`() {
        let queue = SerialQueue { _ in EAGAIN }
        #expect(throws: ThreadShortage.self) { try queue.enqueue(job(1)) }
        queue.stop()
        #expect(done.withLock { $0 } == [])
    }
}
