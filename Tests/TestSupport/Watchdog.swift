import Dispatch
import Foundation

/// Runs `body`, and ends the process if it has not returned after so many seconds.
///
/// A time limit of a test is a task that sleeps. Where all threads of the pool wait for ever, it
/// never wakes.
///
/// What `body` asks of the pool comes after all that other tests have asked of it, so the time is
/// far more than those take on a machine that has little time for them.
package func guarded<Value>(
    seconds: Int = 900, _ body: () async throws -> Value
) async rethrows -> Value {
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        let outcome = hasEnded.wait(timeout: .now() + .seconds(seconds))
        precondition(outcome == .success, "What was to return in \(seconds) seconds did not.")
    }
    defer { hasEnded.signal() }
    return try await body()
}
