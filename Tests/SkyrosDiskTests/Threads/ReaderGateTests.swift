import Foundation
import SkyrosDisk
import TestSupport
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
