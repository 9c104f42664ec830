import Foundation
import Synchronization

/// Threads that all do the same, each on its part.
enum Threads {
    private final class Failure: Sendable {
        let first = Mutex<(any Error)?>(nil)
    }

    /// Runs `body` on `count` threads with the numbers 0 to `count` - 1, and waits for all.
    ///
    /// - Throws: the first error of any of them.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Failure()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            let thread = Thread {
                defer { group.leave() }
                do {
                    try body(index)
                } catch {
                    failure.first.withLock { $0 = $0 ?? error }
                }
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        if let error = failure.first.withLock({ $0 }) { throw error }
    }
}
