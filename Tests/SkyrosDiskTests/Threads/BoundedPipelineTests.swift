import SkyrosDisk
import Testing

@Suite struct `A bounded pipeline` {
    private struct Refusal: Error {}

    @Test(arguments: [0, 1, 2, 100])
    func `consumes every batch in order`(count: Int) throws {
        let consumed = Locked<[Int]>([])
        var pipeline = BoundedPipeline<Int> { number in consumed.withLock { $0.append(number) } }
        for number in 0..<count { try pipeline.send(number) }
        try pipeline.finish(count)
        #expect(consumed.withLock { $0 } == Array(0...count))
    }

    @Test func `needs no other thread for one batch`() throws {
        let thread = Locked<ThreadID?>(nil)
        let pipeline = BoundedPipeline<Int> { _ in thread.withLock { $0 = .current } }
        try pipeline.finish(1)
        #expect(thread.withLock { $0 } == .current)
    }

    @Test func `throws the consumer's error, and consumes nothing after it`() throws {
        let consumed = Locked<[Int]>([])
        let sentCount = Monitor(0)
        var pipeline = BoundedPipeline<Int> { number in
            if number == 3 {
                // Three more wait by then.
                sentCount.wait { $0 == 7 ? () : nil }
                throw Refusal()
            }
            consumed.withLock { $0.append(number) }
        }
        var hasThrown = false
        do {
            // More than may wait, so `send` throws the error.
            for number in 0..<100 {
                try pipeline.send(number)
                sentCount.change { $0 += 1 }
            }
        } catch is Refusal {
            hasThrown = true
        }
        #expect(hasThrown)
        do {
            try pipeline.finish(100)
            Issue.record("finish must throw the consumer's error")
        } catch is Refusal {}
        #expect(consumed.withLock { $0 } == [0, 1, 2])
    }

    @Test func `lets four batches wait`() throws {
        let isOpen = Monitor(false)
        let sent = Monitor(0)
        let consumed = Locked(0)
        let waitingMax = Locked(0)
        let sender = SerialQueue()
        sender.run {
            var pipeline = BoundedPipeline<Int> { _ in
                isOpen.wait { $0 ? () : nil }
                consumed.withLock { $0 += 1 }
            }
            do {
                for number in 1...100 {
                    try pipeline.send(number)
                    let waiting = number - consumed.withLock { $0 }
                    waitingMax.withLock { $0 = max($0, waiting) }
                    sent.change { $0 = number }
                }
                try pipeline.finish(101)
            } catch {
                Issue.record(error)
            }
        }
        sent.wait { $0 >= 4 ? () : nil }
        isOpen.change { $0 = true }
        sender.stop()
        #expect(consumed.withLock { $0 } == 101)
        #expect(waitingMax.withLock { $0 } == 4)
    }

    @Test func `waits for its consumer when it is destroyed`() throws {
        let consumed = Locked(0)
        do {
            var pipeline = BoundedPipeline<Int> { _ in consumed.withLock { $0 += 1 } }
            try pipeline.send(1)
            try pipeline.send(2)
        }
        #expect(consumed.withLock { $0 } == 2)
    }
}

@Suite struct `Two functions in parallel` {
    private struct Refusal: Error {}

    @Test(arguments: [false, true])
    func `return both results`(areShared: Bool) throws {
        let caller = ThreadID.current
        let (here, there) = inParallel(when: areShared) {
            ThreadID.current
        } _: {
            ThreadID.current
        }
        #expect(here == caller)
        #expect((there != caller) == areShared)
    }

    @Test(arguments: [false, true])
    func `throw the error of either one`(areShared: Bool) {
        #expect(throws: Refusal.self) {
            try inParallel(when: areShared) {
                1
            } _: {
                throw Refusal()
            }
        }
        let hasRun = Locked(false)
        #expect(throws: Refusal.self) {
            try inParallel(when: areShared) {
                throw Refusal()
            } _: {
                hasRun.withLock { $0 = true }
            }
        }
        #expect(hasRun.withLock { $0 } == areShared)
    }
}
