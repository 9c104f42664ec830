import SkyrosDisk
import SkyrosLog

/// Proof of a write: which event it became, and how safe that event is.
public struct Receipt: Sendable {
    /// The event's place in the log; nil if the block changed nothing and left no event.
    public let sequence: SequenceNumber?
    /// What had happened to the event when the receipt was made.
    public let durability: Durability

    private let promise: DurabilityPromise?

    init(_ sequence: SequenceNumber?, _ durability: Durability, _ promise: DurabilityPromise?) {
        self.sequence = sequence
        self.durability = durability
        self.promise = promise
    }

    /// Blocks the calling thread until the event survives power loss.
    ///
    /// Threads that wait at the same time share one sync. In asynchronous code `await` selects the
    /// form that suspends instead of blocking.
    ///
    /// - Throws: `StoreError` with `.durabilityLost` if a sync failed.
    public func waitUntilDurable() throws {
        try promise?.wait()
    }

    /// Suspends the calling task until the event survives power loss.
    ///
    /// - Throws: `StoreError` with `.durabilityLost` if a sync failed.
    public func waitUntilDurable() async throws {
        guard let promise else { return }
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            promise.whenKept { continuation.resume(with: $0) }
        }
    }
}

extension Receipt {
    /// The receipt once the event is durable; blocks until it is.
    func madeDurable() throws -> Receipt {
        do {
            try promise?.wait()
        } catch {
            throw lost(error)
        }
        return Receipt(sequence, .durable, promise)
    }

    /// As `madeDurable`, but calls `body` on another thread.
    func whenDurable(_ body: @escaping @Sendable (Result<Receipt, StoreError>) -> Void) {
        guard let promise else { return body(.success(self)) }
        promise.whenKept { result in
            body(result.map { Receipt(sequence, .durable, promise) }.mapError { lost($0) })
        }
    }

    /// The event is in the log and in the view, but what the medium holds is unknown.
    private func lost(_ error: any Error) -> StoreError {
        let cause = StoreError.wrapping(error)
        guard cause.code == .durabilityLost, let sequence else { return cause }
        var place = cause.place
        place.sequences = sequence...sequence
        return StoreError(
            .durabilityLost,
            "event \(sequence) was written and is visible, but may not survive "
                + "power loss: \(cause.message)", at: place, cause: cause.cause)
    }
}

/// What a receipt needs to keep its word.
struct DurabilityPromise: Sendable {
    let log: any LogEngine
    let position: LogPosition
    let syncer: LogSyncer

    /// Syncs on the calling thread, or waits for a sync that is under way.
    func wait() throws {
        try StoreError.wrap(try log.sync(through: position))
    }

    /// Calls `body` on the syncer's thread once the promise is kept or broken.
    func whenKept(_ body: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        if log.durableEnd >= position { return body(.success(())) }
        syncer.whenDurable(body)
    }
}
