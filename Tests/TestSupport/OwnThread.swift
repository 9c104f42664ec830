import Foundation

/// Runs on a thread of its own what waits for other processes, so that other tests go on meanwhile:
/// those that run at the same time are as many as there are processors.
///
/// What fails there throws; `#expect` would not know of which test it is.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
