import Dispatch

// Writing without blocking a thread: the block runs on the store's own thread.

extension Store {
    /// Runs a write block on the store's thread and suspends until its durability is reached.
    ///
    ///     let order = try await store.write(by: "alice") { tx in … }
    ///
    /// Blocks run one after the other, in the order of the calls, in turns with those of threads
    /// that wait. No thread of the cooperative pool is blocked. Cancelling the task does not take
    /// the write back. Tasks that await do not count in the bound of the queue, see `writeAsync`:
    /// each is held back by its own write.
    ///
    /// Parameters and errors are those of the synchronous `write`; `.nestedWrite` cannot occur.
    @discardableResult
    public func write<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try await writeWithReceipt(
            by: actor, because: reason, metadata: metadata, intent: intent,
            expecting: condition, durability: durability, block
        ).result
    }

    /// Runs a write block on the store's thread, and returns its result with a receipt.
    @discardableResult
    public func writeWithReceipt<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> (result: R, receipt: Receipt) {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        return try await withCheckedThrowingContinuation { continuation in
            // The task that waits is the bound of the queue.
            enqueue(request, isBounded: false, finish: { continuation.resume(with: $0) }) {
                try $0.commit(request, &$1, block)
            }
        }
    }

    /// Queues a write block and returns immediately.
    ///
    ///     store.writeAsync { tx in try tx.upsert(draft) }
    ///     store.writeAsync(durability: .durable) { tx in … } completion: { result in … }
    ///
    /// Blocks run one after the other on the store's thread, in the order of the calls. At most
    /// 10,000 may wait for their turn: a further one does not run, and fails with `.limitExceeded`.
    /// Other parameters are those of the synchronous `write`.
    ///
    /// The completion is called exactly once, on ``Options/callbackQueue``, after the durability
    /// was reached or has failed (promise P9), also for a block that changed nothing; those of
    /// durable writes in the order of their events. It gets the
    /// error of the block unchanged. Without a completion, errors go to ``Options/onError``.
    public func writeAsync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Receipt, any Error>) -> Void)? = nil
    ) {
        let finish = finish(calling: completion)
        do {
            let request = try request(
                actor, reason, metadata, intent, durability, expecting: condition)
            enqueue(request, isBounded: true, finish: finish) {
                try $0.commit(request, &$1, block)
            }
        } catch {
            finish(.failure(error))
        }
    }

    typealias Finish<R> =
        @Sendable (Result<(result: R, receipt: Receipt), any Error>)
        -> Void

    /// What a queued write ends with: a call of its completion, or without one of the handler of
    /// errors.
    func finish(
        calling completion: (@Sendable (Result<Receipt, any Error>) -> Void)?
    ) -> Finish<Void> {
        let (queue, report) = (resources.options.callbackQueue, resources.report)
        return { outcome in
            if let completion {
                queue.async { completion(outcome.map(\.receipt)) }
            } else if case .failure(let error) = outcome {
                report(error)
            }
        }
    }

    /// Commits on the store's thread, once it is the caller's turn.
    func enqueue<R: Sendable>(
        _ request: WriteRequest, isBounded: Bool, finish: @escaping Finish<R>,
        _ commit: @escaping @Sendable (Store, inout Receipt) throws -> R
    ) {
        do {
            try checkProcess()
            try writer.enqueue(isBounded: isBounded) { [self] in run(request, commit, finish) }
        } catch {
            finish(.failure(StoreError.wrapping(error)))
        }
    }

    private func run<R: Sendable>(
        _ request: WriteRequest, _ commit: (Store, inout Receipt) throws -> R,
        _ finish: @escaping Finish<R>
    ) {
        var receipt = Receipt(nil, request.durability, nil)
        let result: R
        do {
            result = try commit(self, &receipt)
        } catch {
            return receipt.whenSeen(error) { finish(.failure($0)) }
        }
        guard request.durability == .durable else { return finish(.success((result, receipt))) }
        syncer.waitForCapacity()
        receipt.whenDurable { durable in
            finish(durable.map { (result, $0) }.mapError { $0 })
        }
    }
}
