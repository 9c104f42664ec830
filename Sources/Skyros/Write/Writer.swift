import SkyrosDisk

/// Runs write blocks, one at a time: block → command batch.
///
/// It owns the overlay, the writer lock that protects it, and the queue of asynchronous blocks.
///
/// - Note: `@unchecked` because of the overlay, which is reused from block to block and used under
///   the lock only.
final class Writer: @unchecked Sendable {
    let lock = WriterLock()
    private let overlay: UnsafeMutablePointer<WriteOverlay>
    /// The base of the overlay between blocks.
    private let empty: Snapshot
    /// Whether the transaction of another store's block may still refer to the overlay.
    private var wasExchanged = false

    /// Makes a writer; `empty` is a state without records, `inputs` are those of its first block.
    init(empty: Snapshot, _ inputs: BlockInputs) {
        self.empty = empty
        overlay = .allocate(capacity: 1)
        overlay.initialize(to: WriteOverlay(on: empty, inputs))
    }

    deinit {
        // Kept for ever then: a use after the block throws, and reads no freed memory.
        if wasExchanged { return }
        overlay.deinitialize(count: 1)
        overlay.deallocate()
    }

    /// Runs `body` on the calling thread once no other thread is writing.
    ///
    /// - Parameter afterAllJobs: whether every queued block runs first, not only those that the
    ///   caller has queued.
    /// - Throws: `StoreError` with `.nestedWrite` if this thread is writing already, `.writeCycle`;
    ///   what `body` throws.
    func withLock<R>(afterAllJobs: Bool = false, _ body: () throws -> R) throws -> R {
        try lock.lock(afterAllJobs: afterAllJobs)
        defer { lock.unlock() }
        return try body()
    }

    /// Runs `job` under the lock on the queue's thread, after all queued ones. Returns immediately.
    ///
    /// - Parameter isBounded: whether it counts against the limit of the queue.
    /// - Throws: `ThreadShortage` if there is no thread for it, `StoreError` with `.limitExceeded`
    ///   if the queue is full; it does not run then.
    func enqueue(isBounded: Bool, _ job: @escaping @Sendable () -> Void) throws {
        try lock.enqueue(isBounded: isBounded, job)
    }

    /// Starts no queued block until `continueQueue`.
    func pauseQueue() { lock.pauseJobs() }

    func continueQueue() { lock.continueJobs() }

    /// The same as `stage(on:into:_:)`, for a block that gets its inputs from `inputs`.
    func stage<R>(
        on base: consuming Snapshot, with inputs: BlockInputs, into batch: inout CommandBatch,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        overlay.pointee.inputs = inputs
        return try stage(on: base, into: &batch, block)
    }

    /// Runs `block` on the state `base`, adds its net effect to `batch`, and returns what it
    /// returns. The calling thread must hold the lock.
    ///
    /// `base` is any state: the newest one, or one with batches that are not published yet.
    ///
    /// - Throws: what `block` throws; `StoreError` with `.wrongTransaction` if the block has
    ///   exchanged its transaction for that of another store's block.
    func stage<R>(
        on base: consuming Snapshot, into batch: inout CommandBatch,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        overlay.pointee.begin(on: base)
        defer { overlay.pointee.end(on: empty) }
        var transaction = WriteTransaction(overlay)
        defer { if !transaction.belongs(to: overlay) { wasExchanged = true } }
        let result = try block(&transaction)
        guard transaction.belongs(to: overlay) else { throw StoreError.wrongTransaction }
        try overlay.pointee.addChanges(to: &batch)
        overlay.pointee.addInputs(to: &batch)
        return result
    }
}
