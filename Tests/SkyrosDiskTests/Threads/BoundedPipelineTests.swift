import SkyrosDisk
import Testing

@Suite struct `A relay` {
    private struct Refusal: Error {}

    @Test(arguments: [0, 1, 2, 100])
    func `takes everything in, in its order`(count: Int) throws {
        let taken = Locked<[Int]>([])
        var relay = BoundedPipeline<Int> { number in taken.withLock { $0.append(number) } }
        for number in 0..<count { try relay.send(number) }
        try relay.finish(count)
        #expect(taken.withLock { $0 } == Array(0...count))
    }

    @Test func `needs no other thread for one batch`() throws {
        let thread = Locked<ThreadID?>(nil)
        let relay = BoundedPipeline<Int> { _ in thread.withLock { $0 = .current } }
        try relay.finish(1)
        #expect(thread.withLock { $0 } == .current)
    }

    @Test func `tells what went wrong, and takes nothing in after that`() throws {
        let taken = Locked<[Int]>([])
        let sentCount = Monitor(0)
        var relay = BoundedPipeline<Int> { number in
            if number == 3 {
                // Three more wait by then.
                sentCount.wait { $0 == 7 ? () : nil }
                throw Refusal()
            }
            taken.withLock { $0.append(number) }
        }
        var hears = false
        do {
            // More than may wait: the sender hears of it while he sends.
            for number in 0..<100 {
                try relay.send(number)
                sentCount.change { $0 += 1 }
            }
        } catch is Refusal {
            hears = true
        }
        #expect(hears)
        do {
            try relay.finish(100)
            Issue.record("The relay has forgotten what went wrong.")
        } catch is Refusal {}
        #expect(taken.withLock { $0 } == [0, 1, 2])
    }

    @Test func `lets a few batches wait`() throws {
        let isOpen = Monitor(false)
        let sent = Monitor(0)
        let taken = Locked(0)
        let waitingMax = Locked(0)
        let sender = SerialQueue()
        sender.enqueue {
            var relay = BoundedPipeline<Int> { _ in
                isOpen.wait { $0 ? () : nil }
                taken.withLock { $0 += 1 }
            }
            do {
                for number in 1...100 {
                    try relay.send(number)
                    let waiting = number - taken.withLock { $0 }
                    waitingMax.withLock { $0 = max($0, waiting) }
                    sent.change { $0 = number }
                }
                try relay.finish(101)
            } catch {
                Issue.record(error)
            }
        }
        sent.wait { $0 >= 4 ? () : nil }
        isOpen.change { $0 = true }
        sender.stop()
        #expect(taken.withLock { $0 } == 101)
        #expect(waitingMax.withLock { $0 } == 4)
    }

    @Test func `that is given up waits for what it has begun`() throws {
        let taken = Locked(0)
        do {
            var relay = BoundedPipeline<Int> { _ in taken.withLock { $0 += 1 } }
            try relay.send(1)
            try relay.send(2)
        }
        #expect(taken.withLock { $0 } == 2)
    }
}

@Suite struct `Two halves` {
    private struct Refusal: Error {}

    @Test(arguments: [false, true])
    func `give two results`(areShared: Bool) throws {
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
    func `throw what one of them throws`(areShared: Bool) {
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
