public import Foundation
import SkyrosDisk
import SkyrosLog

extension Store {
    /// Copies the store to a directory, or brings an earlier copy up to date, while the store is
    /// used.
    ///
    ///     let report = try store.backup(to: url)
    ///
    /// The copy holds every event up to the call, `deferred` ones included, and perhaps some after
    /// it. It is an ordinary store: open it, read it with ``Archive``, or copy it on. See
    /// ``Archive/backup(to:asOf:verifyingKept:progress:)`` for what is copied and what is kept.
    ///
    /// Blocks the calling thread until the copy is durable; readers and writers are not blocked. In
    /// a task, the asynchronous form blocks no thread of the cooperative pool.
    ///
    /// - Parameters:
    ///   - directory: the copy: nothing, an empty directory or an earlier copy, outside the store.
    ///   - progress: called from time to time, on the calling thread.
    /// - Throws: `StoreError` with `.historyChanged` if the directory holds another store, or one
    ///   with other or later events, and nothing is changed then; `.notAStore` if it holds other
    ///   files; `.invalidInput` if it is in the store; `.alreadyOpen` if the copy is open;
    ///   `.closed`, `.suspended`, `.diskFull`, `.io`.
    /// - Complexity: O(bytes that the copy lacks), and O(segments).
    @discardableResult
    public func backup(
        to directory: URL, progress: (BackupProgress) -> Void = { _ in }
    ) throws -> BackupReport {
        try checkProcess()
        try checkOpen()
        try session.syncFiles()
        return try maintenance.withCopy {
            try Backup.run(of: resources.environment.disk, to: directory, progress)
        }
    }

    /// Copies the store as the synchronous form does, on a thread of the call.
    ///
    ///     let report = try await store.backup(to: url) { print($0.copiedBytes) }
    ///
    /// Parameters and errors are those of the synchronous form. `progress` is called on that
    /// thread. Cancelling the task does not stop the backup.
    @discardableResult
    public func backup(
        to directory: URL, progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
    ) async throws -> BackupReport {
        try await withCheckedThrowingContinuation { continuation in
            let code = SerialQueue.startThread {
                continuation.resume(
                    with: Result { try self.backup(to: directory, progress: progress) })
            }
            if code != 0 {
                continuation.resume(throwing: StoreError(ThreadShortage(code: code)))
            }
        }
    }
}
