import SkyrosDisk

/// Runs write blocks, one at a time: block → command batch.
///
/// It owns the overlay, the writer lock that protects it, and the queue of asynchronous blocks.
///
/// - Note: `@unchecked` because of the overlay, which is reused from block to block and used under
///   the lock only.
final class Writer: @unchecked Sendable {
    private let lock = WriterLock()
    private let overlay: UnsafeMutablePointer<WriteOverlay>
    /// The base of the overlay between blocks.
    private let empty: Snapshot

    /// Makes a writer; `empty` is a state without records.
    init(empty: Snapshot) {
        self.empty = empty
        overlay = .allocate(capacity: 1)
        overlay.initialize(to: WriteOverlay(on: empty))
    }

    deinit {
        overlay.deinitialize(count: 1)
        overlay.deallocate()
    }

    /// Runs `body` on the calling thread once no other thread is writing.
    ///
    /// - Throws: `StoreError` with `.nestedWrite` if this thread is writing already; what `body`
    ///   throws.
    func withLock<R>(_ body: () throws -> R) throws -> R {
        try lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Runs `job` under the lock on the queue's thread, after all present waiters. Returns
    /// immediately.
    func enqueue(_ job: @escaping @Sendable () -> Void) {
        lock.enqueue(job)
    }

    /// Runs `block` on the state `base`, adds its net effect to `batch`, and returns what it
    /// returns. The calling thread must hold the lock.
    ///
    /// `base` is any state: the newest one, or one with batches that are not published yet.
    func stage<R>(
        on base: Snapshot, into batch: inout CommandBatch,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        overlay.pointee.begin(on: base)
        defer { overlay.pointee.end(on: empty) }
        var transaction = WriteTransaction(overlay)
        let result = try block(&transaction)
        try overlay.pointee.addChanges(to: &batch)
        return result
    }
}
