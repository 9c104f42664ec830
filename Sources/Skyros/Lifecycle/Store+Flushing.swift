// Making everything durable: on the calling thread, with a completion, or in a task.

extension Store {
    /// Blocks until everything that was written or queued before the call survives power loss.
    ///
    ///     try store.flush()
    ///
    /// It is a durable write that changes nothing, after all queued blocks. It leaves no event and
    /// writes no checkpoint, which ``close()`` does.
    ///
    /// - Throws: `StoreError` with `.durabilityLost`, `.suspended`, `.closed`; `.nestedWrite` in a
    ///   write block of this store.
    public func flush() throws {
        try checkProcess()
        var receipt = Receipt(nil, .durable, nil)
        try writer.withLock(afterAllJobs: true) {
            try commit(flushRequest, &receipt) { _ in }
        }
        try receipt.waitUntilDurable()
    }

    /// Suspends until everything that was written or queued before the call survives power loss.
    public func flush() async throws {
        try await write(durability: .durable) { _ in }
    }

    /// Calls the completion once everything that was written or queued before the call survives
    /// power loss, or that has failed: exactly once, on ``Options/callbackQueue``, after this has
    /// returned or while it does.
    ///
    ///     store.flush { result in … }
    public func flush(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        writeAsync(durability: .durable) { _ in
        } completion: { result in
            completion(result.map { _ in })
        }
    }

    private var flushRequest: WriteRequest {
        get throws { try request(nil, nil, Metadata(), nil, .durable) }
    }
}
