/// A subscription to the events of a store, see ``Store/subscribe(_:to:retrying:_:)``. It ends with
/// its last reference.
public final class Subscription: Sendable {
    /// What a subscription does.
    public enum State: Sendable {
        /// It handles events, or waits for the next one.
        case running
        /// The last attempt to handle the event, or to read it, has failed, and there will be
        /// another one.
        case retrying(SequenceNumber, attempts: Int, after: any Error)
        /// It has ended: with an error, or because it was cancelled or the store was closed.
        case stopped((any Error)?)
    }

    private let run: SubscriptionRun

    init(_ run: SubscriptionRun) {
        self.run = run
    }

    deinit {
        cancel()
    }

    /// The name under which its position is kept.
    public var name: String { run.name }

    /// The last event that it has handled.
    public var position: SequenceNumber { run.position }

    /// What it does.
    public var state: State { run.state }

    /// Ends it. The task of the handler is cancelled; if that throws then, the next subscription
    /// with its name handles the event again. It begins when the handler has returned.
    public func cancel() { run.end(nil) }

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
