import SkyrosDisk
import Synchronization

// Suspending: the log takes no more batches and changes no more bytes, until it continues with
// whatever another process has made of its files meanwhile.

extension FileLog {
    /// How often a thread that suspends the log gives its processor to others before it sleeps.
    private static let yieldsMax = 1_000

    package func suspend() {
        isSuspended.store(true, ordering: .sequentiallyConsistent)
        // Another thread holds the state for a write into the page cache at most, and during a sync
        // only while a new segment is created: everything before that is durable then, nothing is
        // deferred, and the disk refuses the rest of it.
        var attemptCount = 0
        while state.withLockIfFree({ writeEnd(&$0) }) == nil {
            if isStartingSegment.load(ordering: .sequentiallyConsistent) { return }
            attemptCount += 1
            if attemptCount < Self.yieldsMax {
                System.yieldThread()
            } else {
                Monitor.pause(milliseconds: 1)
            }
        }
    }

    /// Writes what is deferred. If everything is durable, marks the log as closed in order: the
    /// next opening then need not rewrite the segment. It syncs the mark, as after any closing.
    ///
    /// An error leaves an unclean end.
    private func writeEnd(_ state: inout State) {
        guard state.failure == nil else { return }
        do throws(LogError) {
            try writeDeferred(&state)
            guard state.durableBytes == state.appendedBytes, !state.isSyncing,
                state.catalog.active.scan.lastKind != .closing
            else { return }
            try writeMark(.closing, &state)
        } catch {
            // The end is unclean, and the next opening rewrites it.
        }
    }

    package func resume(after inspection: LogInspection) throws(LogError) {
        try withState { state throws(LogError) in
            if let failure = state.failure { throw failure }
        }
        let (opened, _) = try Self.open(inspection, on: directory.disk, options)
        let found = opened.state.withLock { $0 }
        withState { state in
            // Positions only grow; everything was synced by the opening.
            let byteCount = state.appendedBytes + found.appendedBytes
            state = found
            state.appendedBytes = byteCount
            state.durableBytes = byteCount
        }
        isSuspended.store(false, ordering: .sequentiallyConsistent)
    }

    /// Returns once no sync is in progress. No sync begins while the log is suspended.
    package func waitForSync() {
        while let group = state.withLock({ state -> CommitGroup? in
            state.isSyncing ? Self.join(&state.currentGroup) : nil
        }) { _ = group.wait() }
    }
}
