/// A subscription to the events of a store, see ``Store/subscribe(_:to:retrying:_:)``. It ends with
/// its last reference.
public final class Subscription: Sendable {
    /// What a subscription does.
    public enum State: Sendable {
        /// It handles events, or waits for the next one.
        case running
        /// The last attempt to handle the event has failed, and there will be another one.
        case retrying(SequenceNumber, attempts: Int, after: any Error)
        /// It has ended: with an error, or because it was cancelled or the store was closed.
        case stopped((any Error)?)
    }

    private let run: SubscriptionRun
    private let task: Task<Void, Never>

    init(_ run: SubscriptionRun) {
        self.run = run
        task = Task { await run.run() }
    }

    deinit {
        cancel()
    }

    /// The name under which its position is kept.
    public var name: String { run.name }

    /// The last event that it has handled.
    public var position: SequenceNumber { run.handled.last }

    /// What it does.
    public var state: State { run.state }

    /// Ends it. An event that is being handled may be handled again by the next subscription with
    /// its name.
    public func cancel() {
        run.end(nil)
        task.cancel()
    }

    /// Suspends until an event was handled, and all before it.
    ///
    /// - Throws: the error with which it has stopped; `StoreError` with `.closed` if it was
    ///   cancelled or the store was closed; `CancellationError` if the task is cancelled.
    public func waitUntilHandled(_ sequence: SequenceNumber) async throws {
        while run.handled.last < sequence {
            let before = sequence.advanced(by: -1)
            if await run.handled.wait(after: before) { return }
            try Task.checkCancellation()
            guard case .stopped(let error) = run.state else { continue }
            throw error ?? StoreError.closed
        }
    }
}
