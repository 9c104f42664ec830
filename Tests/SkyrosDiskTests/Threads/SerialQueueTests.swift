import SkyrosDisk
import Testing

@Suite struct `A worker` {
    private let done = Locked<[Int]>([])

    private func note(_ number: Int) -> SerialQueue.Job {
        { [done] in done.withLock { $0.append(number) } }
    }

    @Test func `does its jobs in the order in which they came, on one other thread`() {
        let worker = SerialQueue()
        let threads = Locked<Set<ThreadID>>([])
        for number in 0..<1_000 {
            worker.enqueue(note(number))
            worker.enqueue { threads.withLock { _ = $0.insert(.current) } }
        }
        worker.stop()
        #expect(done.withLock { $0 } == Array(0..<1_000))
        #expect(threads.withLock { $0.count } == 1)
        #expect(threads.withLock { !$0.contains(.current) })
    }

    @Test func `stops once all its jobs are done, and takes no more`() {
        let worker = SerialQueue()
        let isOpen = Monitor(false)
        worker.enqueue { isOpen.wait { $0 ? () : nil } }
        for number in 0..<10 { worker.enqueue(note(number)) }
        isOpen.change { $0 = true }
        worker.stop()
        #expect(done.withLock { $0 } == Array(0..<10))
        worker.enqueue(note(10))
        worker.stop()
        #expect(done.withLock { $0.count } == 10)
    }

    @Test func `does what its jobs ask for, until it is stopped by one of them`() {
        let worker = SerialQueue()
        let hasEnded = Monitor(false)
        worker.enqueue { [self] in
            worker.enqueue(note(1))
            worker.enqueue { [self] in
                worker.stop()
                worker.enqueue(note(3))
                hasEnded.change { $0 = true }
            }
            worker.enqueue(note(2))
        }
        hasEnded.wait { $0 ? () : nil }
        worker.stop()
        #expect(done.withLock { $0 } == [1, 2])
    }

    @Test func `finishes its jobs when nobody has it any more`() {
        let hasEnded = Monitor(false)
        do {
            let worker = SerialQueue()
            for number in 0..<100 { worker.enqueue(note(number)) }
            worker.enqueue { hasEnded.change { $0 = true } }
        }
        hasEnded.wait { $0 ? () : nil }
        #expect(done.withLock { $0 } == Array(0..<100))
    }

    @Test func `keeps no job that is done`() {
        final class Witness: Sendable {
            let hasEnded: Monitor<Bool>
            init(_ hasEnded: Monitor<Bool>) { self.hasEnded = hasEnded }
            deinit { hasEnded.change { $0 = true } }
        }
        let worker = SerialQueue()
        let hasEnded = Monitor(false)
        do {
            let witness = Witness(hasEnded)
            worker.enqueue { _ = witness.hasEnded }
        }
        hasEnded.wait { $0 ? () : nil }
        worker.stop()
    }
}

@Suite struct `A lock for readers` {
    @Test func `lets nobody see half a change`() {
        let lock = SharedLock()
        let value = Halves()
        let torn = Locked(0)
        let readers = [SerialQueue(), SerialQueue()]
        for reader in readers {
            reader.enqueue {
                for _ in 0..<20_000 {
                    let token = lock.lockShared()
                    let isWhole = value.first == value.second
                    lock.unlockShared(token)
                    if !isWhole { torn.withLock { $0 += 1 } }
                }
            }
        }
        for number in 1...2_000 {
            lock.withExclusive {
                value.first = number
                value.second = number
            }
        }
        for reader in readers { reader.stop() }
        #expect(torn.withLock { $0 } == 0)
    }

    /// Unchecked because the lock guards it, which the compiler cannot see.
    private final class Halves: @unchecked Sendable {
        var first = 0
        var second = 0
    }
}
