import Foundation
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A shared lock` {
    /// Two counters that are equal except during a change.
    ///
    /// - Note: `@unchecked` because the lock, which is under test, protects it.
    private final class Pair: @unchecked Sendable {
        var left = 0
        var right = 0
    }

    @Test func `shows no reader an unfinished change`() {
        let lock = SharedLock()
        let pair = Pair()
        let torn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for _ in 0..<2_000 {
                if worker < 2 {
                    lock.withExclusive {
                        pair.left += 1
                        pair.right += 1
                    }
                } else {
                    let token = lock.lockShared()
                    let isTorn = pair.left != pair.right
                    lock.unlockShared(token)
                    if isTorn { torn.withLock { $0 += 1 } }
                }
            }
        }
        #expect(torn.withLock { $0 } == 0)
        #expect(pair.left == 4_000 && pair.right == 4_000)
    }

    @Test func `is unlocked after an error`() {
        struct Failure: Error {}
        let lock = SharedLock()
        #expect(throws: Failure.self) { try lock.withExclusive { throw Failure() } }
        lock.unlockShared(lock.lockShared())
    }
}
