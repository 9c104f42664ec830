import Foundation
import SkyrosDisk
import Testing

@Suite struct `A reader gate` {
    /// Two counters that are equal whenever nobody is changing them.
    ///
    /// - Note: `@unchecked` because the gate, which is what is tested, keeps its users apart.
    private final class Pair: @unchecked Sendable {
        var left = 0
        var right = 0
    }

    @Test func `shows no reader a change that is under way`() {
        let gate = ReaderGate()
        let pair = Pair()
        let torn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for _ in 0..<2_000 {
                if worker < 2 {
                    gate.whileClosed {
                        pair.left += 1
                        pair.right += 1
                    }
                } else {
                    let pass = gate.enter()
                    let isTorn = pair.left != pair.right
                    gate.leave(pass)
                    if isTorn { torn.withLock { $0 += 1 } }
                }
            }
        }
        #expect(torn.withLock { $0 } == 0)
        #expect(pair.left == 4_000 && pair.right == 4_000)
    }

    @Test func `is open again after an error`() {
        struct Failure: Error {}
        let gate = ReaderGate()
        #expect(throws: Failure.self) { try gate.whileClosed { throw Failure() } }
        gate.leave(gate.enter())
    }
}

@Suite struct `A worker` {
    @Test func `runs its jobs one after the other in the order of their coming`() {
        let worker = Worker()
        let seen = Locked<[Int]>([])
        for number in 0..<500 { worker.enqueue { seen.withLock { $0.append(number) } } }
        worker.stop()
        #expect(seen.withLock { $0 } == Array(0..<500))
    }

    @Test func `takes no more jobs once it was stopped, and stops again without waiting`() {
        let worker = Worker()
        let count = Locked(0)
        worker.enqueue {
            count.withLock { $0 += 1 }
            // From within a job it cannot wait for itself.
            worker.stop()
        }
        worker.stop()
        worker.enqueue { count.withLock { $0 += 100 } }
        worker.stop()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `runs on a thread of its own`() {
        let worker = Worker()
        let thread = Locked<ThreadID?>(nil)
        worker.enqueue { thread.withLock { $0 = .current } }
        worker.stop()
        #expect(thread.withLock { $0 } != nil)
        #expect(thread.withLock { $0 } != .current)
    }
}

@Suite struct `A monitor` {
    @Test func `wakes those who wait for a change`() {
        let monitor = Monitor(0)
        let worker = Worker()
        worker.enqueue {
            for _ in 0..<100 { monitor.change { $0 += 1 } }
        }
        #expect(monitor.wait { $0 == 100 ? $0 : nil } == 100)
        worker.stop()
    }

    @Test func `gives up when its time is over`() {
        #expect(Monitor(0).wait(atMost: 1) { $0 == 1 ? $0 : nil } == nil)
        #expect(Monitor(1).wait(atMost: 1) { $0 == 1 ? $0 : nil } == 1)
    }
}
