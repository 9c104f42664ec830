import Dispatch

extension Store {
    /// Queues a write block and returns at once.
    ///
    /// Queued blocks run one after the other on a thread of the store's own, in the order of the
    /// calls, synchronous ones in between. `completion` is called exactly once, on the callback
    /// queue, after the stated durability is reached or has failed (promise P9); also for a block
    /// that changed nothing. Nil if nobody wants to know.
    public func writeAsync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Receipt, StoreError>) -> Void)?
    ) {
        let queue = parts.options.callbackQueue
        enqueue(
            by: actor, because: reason, metadata: metadata, intent: intent,
            durability: durability, block
        ) { result in
            guard let completion else { return }
            let outcome = result.map(\.1).mapError { StoreError.wrapping($0) }
            queue.async { completion(outcome) }
        }
    }

    /// Queues a write block and suspends until it has run and its durability is reached.
    ///
    ///     let (order, receipt) = try await store.writeAsync(by: "alice") { tx in … }
    ///
    /// Cancelling the task does not take the write back: it is all or nothing.
    ///
    /// - Returns: what the block returns, and the receipt.
    /// - Throws: what the block throws; `StoreError`.
    @discardableResult
    public func writeAsync<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> (result: R, receipt: Receipt) {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(
                by: actor, because: reason, metadata: metadata, intent: intent,
                durability: durability, block
            ) { continuation.resume(with: $0.map { (result: $0.0, receipt: $0.1) }) }
        }
    }

    private func enqueue<R: Sendable>(
        by actor: String?, because reason: String?, metadata: Metadata,
        intent: (any DomainCommand)?, durability: Durability?,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R,
        _ finish: @escaping @Sendable (Result<(R, Receipt), any Error>) -> Void
    ) {
        let request: WriteRequest
        do {
            try checkProcess()
            request = try WriteRequest(
                actor, reason, metadata, intent, durability ?? parts.options.durability)
        } catch {
            return finish(.failure(error))
        }
        writerLock.enqueue { [self] in
            var receipt = Receipt(nil, request.durability, nil)
            let result: R
            do {
                result = try commit(request, &receipt, block)
            } catch {
                return finish(.failure(error))
            }
            guard receipt.sequence != nil, request.durability == .durable else {
                return finish(.success((result, receipt)))
            }
            receipt.whenDurable { durable in
                finish(durable.map { (result, $0) }.mapError { $0 })
            }
        }
    }
}
