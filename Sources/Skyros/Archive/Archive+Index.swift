import SkyrosDisk
import SkyrosLog

extension Archive {
    /// Makes the runs of the history that are missing: the store does so too, in the background,
    /// once enough was written.
    ///
    /// It takes the store's lock, so no process may have the store open for writing. It makes the
    /// log durable first.
    ///
    /// - Parameter progress: called after each run with the last event that has one.
    /// - Returns: the number of steps, each of which made a run, or merged a part of several.
    /// - Throws: `StoreError` with `.alreadyOpen`; the first damage, if the archive reads up to it,
    ///   as nothing in a damaged store is written.
    /// - Complexity: O(events · log n).
    @discardableResult
    public func indexHistory(progress: (SequenceNumber) -> Void = { _ in }) throws -> Int {
        if let damage = damage?.damages.first { throw StoreError(damage) }
        return try StoreError.wrap(try disk.lock()).use {
            try StoreError.wrap { try makeLogDurable() }
            _ = try refresh()
            let problem = Locked<(any Error)?>(nil)
            let index = HistoryIndex(
                log, of: log.storeID, on: disk, empty: empty, mayWrite: true,
                report: { error in problem.withLock { $0 = $0 ?? error } })
            var count = 0
            let start = empty
            while try index.mergeNext()
                || index.makeNext(
                    through: sequence, from: { start }, isComplete: true, syncing: {})
            {
                count += 1
                progress(index.current().tail.start)
            }
            historyIndex?.reload()
            // A run that was set aside was made again, so only other errors are left.
            if count == 0, let problem = problem.withLock({ $0 }) { throw problem }
            return count
        }
    }
}
