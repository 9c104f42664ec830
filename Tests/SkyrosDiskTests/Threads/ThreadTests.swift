import SkyrosDisk
import Testing

@Suite struct `A locked value` {
    @Test func `is changed by one thread at a time`() {
        let counts = Locked([0, 0])
        let workers = [SerialQueue(), SerialQueue(), SerialQueue()]
        for worker in workers {
            worker.run {
                for _ in 0..<10_000 {
                    counts.withLock { counts in
                        counts[0] += 1
                        counts[1] = counts[0]
                    }
                }
            }
        }
        for worker in workers { worker.stop() }
        #expect(counts.withLock { $0 } == [30_000, 30_000])
    }

    @Test func `is unlocked after an error`() {
        struct Refusal: Error {}
        let value = Locked(1)
        #expect(throws: Refusal.self) {
            try value.withLock { value in
                value = 2
                throw Refusal()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}

@Suite struct `A monitor` {
    @Test func `wakes every thread that waits for a change`() {
        let value = Monitor(0)
        let woken = Monitor(0)
        let workers = [SerialQueue(), SerialQueue(), SerialQueue()]
        for worker in workers {
            worker.run {
                let seen = value.wait { $0 >= 3 ? $0 : nil }
                woken.change { $0 += seen }
            }
        }
        for _ in 0..<3 { value.change { $0 += 1 } }
        woken.wait { $0 == 9 ? () : nil }
        for worker in workers { worker.stop() }
    }

    @Test func `lets two threads take turns`() {
        let turn = Monitor(0)
        let worker = SerialQueue()
        worker.run {
            for round in 0..<1_000 {
                turn.wait { $0 == 2 * round + 1 ? () : nil }
                turn.change { $0 += 1 }
            }
        }
        for round in 0..<1_000 {
            turn.wait { $0 == 2 * round ? () : nil }
            turn.change { $0 += 1 }
        }
        worker.stop()
        #expect(turn.withLock { $0 } == 2_000)
    }

    @Test(arguments: [-1, 0, 1, 30])
    func `stops waiting after a timeout`(of milliseconds: Int) {
        let value = Monitor(0)
        let result: Int? = value.wait(atMost: milliseconds) { $0 > 0 ? $0 : nil }
        #expect(result == nil)
        // The lock is free.
        value.change { $0 = 1 }
        #expect(value.wait(atMost: milliseconds) { $0 > 0 ? $0 : nil } == 1)
    }

    @Test func `returns a change that comes in time`() {
        let value = Monitor(0)
        let worker = SerialQueue()
        worker.run { value.change { $0 = 7 } }
        #expect(value.wait(atMost: 600_000) { $0 > 0 ? $0 : nil } == 7)
        worker.stop()
    }

    @Test func `can have a timeout of centuries`() {
        let value = Monitor(1)
        #expect(value.wait(atMost: .max) { $0 } == 1)
    }

    @Test func `wakes threads and is unlocked after an error`() {
        struct Refusal: Error {}
        let value = Monitor(0)
        let worker = SerialQueue()
        let seen = Monitor(0)
        worker.run {
            let result = value.wait { $0 > 0 ? $0 : nil }
            seen.change { $0 = result }
        }
        #expect(throws: Refusal.self) {
            try value.change { value in
                value = 5
                throw Refusal()
            }
        }
        #expect(seen.wait { $0 > 0 ? $0 : nil } == 5)
        worker.stop()
    }
}
