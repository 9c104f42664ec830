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
            queue.enqueue(job(number))
            queue.enqueue { threads.withLock { _ = $0.insert(.current) } }
        }
        queue.stop()
        #expect(done.withLock { $0 } == Array(0..<1_000))
        #expect(threads.withLock { $0.count } == 1)
        #expect(threads.withLock { !$0.contains(.current) })
    }

    @Test func `stops after all its jobs, and accepts no more`() {
        let queue = SerialQueue()
        let isOpen = Monitor(false)
        queue.enqueue { isOpen.wait { $0 ? () : nil } }
        for number in 0..<10 { queue.enqueue(job(number)) }
        isOpen.change { $0 = true }
        queue.stop()
        #expect(done.withLock { $0 } == Array(0..<10))
        queue.enqueue(job(10))
        queue.stop()
        #expect(done.withLock { $0.count } == 10)
    }

    @Test func `runs jobs that its jobs enqueue, until one of them stops it`() {
        let queue = SerialQueue()
        let hasEnded = Monitor(false)
        queue.enqueue { [self] in
            queue.enqueue(job(1))
            queue.enqueue { [self] in
                queue.stop()
                queue.enqueue(job(3))
                hasEnded.change { $0 = true }
            }
            queue.enqueue(job(2))
        }
        hasEnded.wait { $0 ? () : nil }
        queue.stop()
        #expect(done.withLock { $0 } == [1, 2])
    }

    @Test func `finishes its jobs after its last reference is gone`() {
        let hasEnded = Monitor(false)
        do {
            let queue = SerialQueue()
            for number in 0..<100 { queue.enqueue(job(number)) }
            queue.enqueue { hasEnded.change { $0 = true } }
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
            queue.enqueue { _ = witness.hasEnded }
        }
        hasEnded.wait { $0 ? () : nil }
        queue.stop()
    }
}
