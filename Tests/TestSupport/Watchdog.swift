import Dispatch
import Foundation

/// Runs `body`, and traps if it has not returned after `seconds`.
///
/// Swift Testing's time limit is a task that sleeps, which never wakes if all threads of the pool
/// are blocked. The default is generous: the jobs of `body` wait for those of other tests,
/// possibly on a busy machine, in a deep run for hours of them, and with few rounds under a
/// sanitizer.
package func guarded<Value>(
    seconds: Int = Extent.pick(brief: 3_600, quick: 900, deep: 14_400),
    _ body: () async throws -> Value
) async rethrows -> Value {
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        let outcome = hasEnded.wait(timeout: .now() + .seconds(seconds))
        precondition(outcome == .success, "The test has not returned after \(seconds) seconds.")
    }
    defer { hasEnded.signal() }
    return try await body()
}
