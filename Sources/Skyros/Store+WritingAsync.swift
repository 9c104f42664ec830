import Dispatch

// Writing without blocking a thread: the block runs on the store's own thread.

extension Store {
    /// Runs a write block on the store's thread and suspends until its durability is reached.
    ///
    ///     let order = try await store.write(by: "alice") { tx in … }
    ///
    /// Blocks run one after the other, in the order of the calls. No thread of the cooperative
    /// pool is blocked. Cancelling the task does not take the write back.
    ///
    /// Parameters and errors are those of the synchronous `write`; `.nestedWrite` cannot occur.
    @discardableResult
    public func write<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try await writeWithReceipt(
            by: actor, because: reason, metadata: metadata, intent: intent,
            durability: durability, block
        ).result
    }

    /// Runs a write block on the store's thread, and returns its result with a receipt.
    @discardableResult
    public func writeWithReceipt<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> (result: R, receipt: Receipt) {
        let request = try request(actor, reason, metadata, intent, durability)
        return try await withCheckedThrowingContinuation { continuation in
            enqueue(request, block) { continuation.resume(with: $0) }
        }
    }

    /// Queues a write block and returns immediately.
    ///
    ///     store.writeAsync { tx in try tx.upsert(draft) }
    ///     store.writeAsync(durability: .durable) { tx in … } completion: { result in … }
    ///
    /// Blocks run one after the other on the store's thread, in the order of the calls. Other
    /// parameters are those of the synchronous `write`.
    ///
    /// The completion is called exactly once, on ``Options/callbackQueue``, after the durability
    /// was reached or has failed (promise P9), also for a block that changed nothing. It gets the
    /// error of the block unchanged. Without a completion, errors go to ``Options/onError``.
    public func writeAsync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Receipt, any Error>) -> Void)? = nil
    ) {
        let queue = resources.options.callbackQueue
        let finish: Finish<Void> = { [report = resources.report] outcome in
            if let completion {
                queue.async { completion(outcome.map(\.receipt)) }
            } else if case .failure(let error) = outcome {
                report(error)
            }
        }
        do {
            enqueue(try request(actor, reason, metadata, intent, durability), block, finish)
        } catch {
            finish(.failure(error))
        }
    }

    private typealias Finish<R> =
        @Sendable (Result<(result: R, receipt: Receipt), any Error>)
        -> Void

    private func enqueue<R: Sendable>(
        _ request: WriteRequest,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R,
        _ finish: @escaping Finish<R>
    ) {
        do {
            try checkProcess()
        } catch {
            return finish(.failure(error))
        }
        writer.enqueue { [self] in
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
