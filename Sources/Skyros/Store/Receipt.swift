import SkyrosDisk
import SkyrosLog

/// The proof of a write: its event, and how durable that event and everything before it are.
public struct Receipt: Sendable {
    /// The event's sequence; nil if the block changed nothing and had no intent, which leaves no
    /// event.
    public let sequence: SequenceNumber?
    /// The durability of the event when the receipt was created; without an event, of everything
    /// before the block.
    public let durability: Durability
    /// Whether an earlier write with the same idempotency key has made the event, so that the block
    /// did not run: see `Store.write(once:)`.
    public let isRepeated: Bool

    private let promise: DurabilityPromise?

    init(
        _ sequence: SequenceNumber?, _ durability: Durability, _ promise: DurabilityPromise?,
        isRepeated: Bool = false
    ) {
        self.sequence = sequence
        self.durability = durability
        self.isRepeated = isRepeated
        self.promise = promise
    }

    /// Blocks the calling thread until the event, and everything before it, survives power loss.
    /// The receipt of a block that changed nothing waits for everything before that block.
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
            promise.whenDurable { continuation.resume(with: $0) }
        }
    }
}

extension Receipt {
    /// The receipt once the event is durable; blocks until it is.
    func madeDurable() throws -> Receipt {
        do {
            try promise?.wait()
            if let sequence { promise?.subscriptions.noteDurable(through: sequence) }
            return asDurable
        } catch {
            throw lost(error)
        }
    }

    /// Calls `body` once the event is durable, or a sync has failed; blocks nothing.
    func whenDurable(_ body: @escaping @Sendable (Result<Receipt, StoreError>) -> Void) {
        guard let promise else { return body(.success(self)) }
        promise.whenDurable { result in
            body(result.map { asDurable }.mapError { lost($0) })
        }
    }

    /// The error of a block, once what the block has seen is acknowledged by the server, or why it
    /// is lost; blocks until it is. That of a log in files, of which nothing is lost, immediately.
    func error(_ error: any Error) -> any Error {
        guard let promise, promise.log.shared != nil else { return error }
        do {
            try promise.wait()
            return error
        } catch let loss {
            return loss
        }
    }

    /// The same; blocks nothing.
    func whenSeen(_ error: any Error, _ body: @escaping @Sendable (any Error) -> Void) {
        guard let promise, promise.log.shared != nil else { return body(error) }
        promise.whenDurable { result in
            if case .failure(let loss) = result { body(loss) } else { body(error) }
        }
    }

    private var asDurable: Receipt {
        Receipt(sequence, .durable, promise, isRepeated: isRepeated)
    }

    /// The error of an event that is in the log and in the view, but perhaps not on the medium.
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

/// What a receipt needs to wait for durability.
struct DurabilityPromise: Sendable {
    let log: any LogEngine
    let position: LogPosition
    let syncer: LogSyncer
    /// Get the durable events.
    let subscriptions: SubscriptionHub

    /// Syncs on the calling thread, or waits for another thread's sync.
    func wait() throws {
        try StoreError.wrap(try log.sync(through: position))
    }

    /// Calls `body` once the event is durable, or a sync has failed; immediately if it is already,
    /// and no earlier call waits.
    func whenDurable(_ body: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let isDurable = log.durableEnd >= position
        guard log.shared != nil else { return syncer.whenDurable(isDurable: isDurable, body) }
        // This position may have been lost with a turn to write although others were reached, or
        // reached although others were lost.
        syncer.whenDurable(isDurable: isDurable) { [log, position] _ in
            body(
                Result { () throws(StoreError) in
                    try StoreError.wrap(try log.sync(through: position))
                })
        }
    }
}
