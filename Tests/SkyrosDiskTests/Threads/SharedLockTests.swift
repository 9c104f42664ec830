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
        let gate = SharedLock()
        let pair = Pair()
        let torn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for _ in 0..<2_000 {
                if worker < 2 {
                    gate.withExclusive {
                        pair.left += 1
                        pair.right += 1
                    }
                } else {
                    let token = gate.lockShared()
                    let isTorn = pair.left != pair.right
                    gate.unlockShared(token)
                    if isTorn { torn.withLock { $0 += 1 } }
                }
            }
        }
        #expect(torn.withLock { $0 } == 0)
        #expect(pair.left == 4_000 && pair.right == 4_000)
    }

    @Test func `is open again after an error`() {
        struct Failure: Error {}
        let gate = SharedLock()
        #expect(throws: Failure.self) { try gate.withExclusive { throw Failure() } }
        gate.unlockShared(gate.lockShared())
    }
}
