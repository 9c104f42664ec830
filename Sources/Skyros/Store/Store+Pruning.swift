public import Foundation
import SkyrosDisk
import SkyrosLog

extension Store {
    /// What the store keeps of the history before its first event; nil if it was never pruned.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` if the floor is damaged.
    public var floor: Floor? {
        get throws { try log.engine.floor.map { try FloorState($0).description } }
    }

    /// Prunes the history before a time: what is older is removed for good, and replaced by the
    /// state of then.
    ///
    ///     let year = Calendar.current.date(byAdding: .year, value: -1, to: .now)!
    ///     if let report = try store.prune(before: year, because: "kept for one year") {
    ///         print("events \(report.events) went, \(report.removedBytes) bytes")
    ///     }
    ///
    /// Records stay as they are. Questions about what is older throw `.belowFloor`. Whole files are
    /// removed, so that up to 16 MiB of older events stay, and copies in the store's own `backups/`
    /// and `quarantine/` do, too; with ``Options/retention`` the store
    /// prunes by itself, and its files are smaller. A backup from before keeps what it has, and may
    /// be brought up to date again: it then has all of the history.
    ///
    /// Blocks the calling thread; readers and writers are not blocked. After a crash or an error,
    /// the history is there, or the next opening removes the rest of it.
    ///
    /// - Parameters:
    ///   - date: the time of the oldest event to keep.
    ///   - actor: who prunes it.
    ///   - reason: why.
    /// - Returns: what was done; nil if no file has older events only, or if the position of a
    ///   subscription was set back to them meanwhile.
    /// - Complexity: O(events that go + records that there were after them). Memory for these
    ///   records, twice.
    /// - Throws: `StoreError` with `.closed`, `.suspended`, `.diskFull`, `.io`; `.invalidInput` for
    ///   a date that is no number; `.logCorrupt` and the like if the older history is damaged, and
    ///   then nothing is removed.
    @discardableResult
    public func prune(
        before date: Date, by actor: String? = nil, because reason: String? = nil
    ) throws -> PruneReport? {
        try checkProcess()
        try checkOpen()
        if resources.isShared { throw StoreError.ofSharedLog("pruned") }
        return try maintenance.prune(before: EventTime(checking: date), actor, reason)
    }

    /// Prunes the history as the synchronous form does, on a thread of the call.
    @discardableResult
    public func prune(
        before date: Date, by actor: String? = nil, because reason: String? = nil
    ) async throws -> PruneReport? {
        try await withCheckedThrowingContinuation { continuation in
            let code = SerialQueue.startThread {
                continuation.resume(
                    with: Result { try self.prune(before: date, by: actor, because: reason) })
            }
            if code != 0 {
                continuation.resume(throwing: StoreError(ThreadShortage(code: code)))
            }
        }
    }
}
