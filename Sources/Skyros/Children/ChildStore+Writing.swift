import Dispatch

extension ChildStore: RecordStore {
    /// Runs a write block on the calling thread, and returns what it returns.
    ///
    ///     try draft.write { tx in try tx.insert(item) }
    ///
    /// The block is atomic: if it throws, nothing was changed. When `write` returns, every later
    /// read of the child sees the changes. The parent does not, until they are merged. Actor,
    /// reason and the like belong to the event, and are given to the merge.
    ///
    /// In asynchronous code `await` selects the form that suspends instead of blocking.
    ///
    /// - Throws: what the block throws; `StoreError`, with `.nestedWrite` inside another write
    ///   block of the same child, `.uniqueViolation`, `.discarded`.
    @discardableResult
    public func write<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
        try root.checkProcess()
        return try writer.withLock { try run(block) }
    }

    /// Runs a write block on the child's own thread, and suspends until it has ended. Blocks run in
    /// the order of the calls.
    @discardableResult
    public func write<R: Sendable>(
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(isBounded: false, { child in try child.run(block) }) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Queues a write block and returns immediately. Blocks run in the order of the calls; at most
    /// 10,000 may wait.
    ///
    /// The completion is called exactly once, on ``Store/Options/callbackQueue``. Without one,
    /// errors go to ``Store/Options/onError``.
    public func writeAsync(
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        let resources = root.resources
        enqueue(isBounded: true, { child in try child.run(block) }) { result in
            if let completion {
                resources.options.callbackQueue.async { completion(result) }
            } else if case .failure(let error) = result {
                resources.report(error)
            }
        }
    }

    /// Makes a child of this child. Its edits are merged into this one.
    ///
    /// - Throws: `StoreError` with `.discarded`.
    public func fork(by actor: String? = nil) throws -> ChildStore {
        ChildStore(of: self, in: session, at: try snapshot, by: actor ?? self.actor)
    }

    /// Runs a job under the writer's lock, on the child's own thread.
    func enqueue<R: Sendable>(
        isBounded: Bool, _ job: @escaping @Sendable (ChildStore) throws -> R,
        _ finish: @escaping @Sendable (Result<R, any Error>) -> Void
    ) {
        do {
            try root.checkProcess()
            try writer.enqueue(isBounded: isBounded) { [self] in
                finish(Result { try job(self) })
            }
        } catch {
            finish(.failure(StoreError.wrapping(error)))
        }
    }

    /// Runs a write block. The calling thread must hold the writer's lock.
    func run<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
        try checkSession()
        var batch = CommandBatch(metadata: Metadata(), intent: nil)
        let result = try writer.stage(on: snapshot, into: &batch, block)
        if !batch.isEmpty { try change { try $0.apply(batch.changes) } }
        return result
    }
}
