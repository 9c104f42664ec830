import SkyrosDisk
import SkyrosLog
import Synchronization

// Pruning, in steps: what the app's code says is asked while no lock is held.

extension BackgroundMaintenance {
    /// Whether a prune is due, and with projections, which are encoded for it, whether a file ends
    /// where it may.
    var mayPrune: Bool {
        guard let cut = pruning?.cut(at: view.current.time) else { return false }
        if projections == nil { return true }
        return log.segments?.borders.contains { $0.timeBefore < cut.microseconds } ?? false
    }

    /// Prunes the history before a time, on the calling thread; returns nil if no file has older
    /// events only.
    func prune(
        before time: EventTime, _ actor: String?, _ reason: String?
    ) throws -> PruneReport? {
        try StoreError.wrap {
            try prune(before: time, actor, reason, try appState(forPruning: true))
        }
    }

    /// Prunes what is older than `Options.retention` asks for, on the calling thread.
    func retain() throws {
        try StoreError.wrap { try pruneIfDue(try appState(forPruning: true)) }
    }

    /// Finds the place to prune, asks the projections for their values there, and prunes. No lock
    /// of this type is held while code of the app runs.
    private func prune(
        before time: EventTime, _ actor: String?, _ reason: String?, _ app: AppState
    ) throws -> PruneReport? {
        // A merge would remove the place.
        plannedPrunes.add(1, ordering: .sequentiallyConsistent)
        defer { plannedPrunes.subtract(1, ordering: .sequentiallyConsistent) }
        let place = try running.withLock { _ in try placeToPrune(before: time, app) }
        guard let (pruner, border) = place else { return nil }
        let last = SequenceNumber(rawValue: border.firstSequence - 1)
        let values = try projections?.values(
            through: last, HistoryReader(log: log, empty: empty), from: { view.current },
            while: { !hasEnded.load(ordering: .sequentiallyConsistent) })
        return try running.withLock { _ in
            try pruneNow(to: border, with: pruner, values ?? [], actor, reason, app)
        }
    }

    private func placeToPrune(
        before time: EventTime, _ app: AppState
    ) throws -> (Pruner, LogBorder)? {
        if hasEnded.load(ordering: .sequentiallyConsistent) { throw StoreError.closed }
        guard let segments = log.segments else { return nil }
        if view.current.time < time {
            // The segment of the newest events may go, too.
            try log.sync(through: log.end)
            try endSegment()
        }
        try sealEnded(atMost: segments.endedSegmentCount)
        let pruner = Pruner(
            log: log, segments: segments, history: history, window: keys.window, clock: clock)
        return pruner.border(before: time, try firstNeeded(app)).map { (pruner, $0) }
    }

    /// The first event that a subscription needs; nil if none needs the history.
    private func firstNeeded(_ app: AppState) throws -> SequenceNumber? {
        [app.firstNeeded, try subscriptions.firstNeededByFiles()].compactMap { $0 }.min()
    }

    private func pruneNow(
        to border: LogBorder, with pruner: Pruner, _ values: [StoredProjection],
        _ actor: String?, _ reason: String?, _ app: AppState
    ) throws -> PruneReport? {
        if hasEnded.load(ordering: .sequentiallyConsistent) { throw StoreError.closed }
        // Another thread may have pruned meanwhile.
        guard border.firstSequence > log.firstSequence else { return nil }
        // A checkpoint that is older than the floor would be of no use, nor would a projection.
        if let checkpointer {
            let written = checkpointer.sequence ?? .zero
            let isOlder = written.rawValue + 1 < border.firstSequence
            if isOlder || !checkpointer.holds(app.projections) { try checkpoint(with: app) }
        }
        return try subscriptions.keepingPositions {
            // One may have been set back since the place was found: the next prune asks again.
            let needed = try firstNeeded(app)?.rawValue ?? .max
            guard border.firstSequence <= needed else { return nil }
            return try pruner.prune(to: border, values, actor, reason)
        }
    }

    /// Prunes what is older than `Options.retention` asks for.
    func pruneIfDue(_ app: AppState) throws {
        let newest = view.current.time
        guard app.mayPrune, let pruning, let cut = pruning.cut(at: newest) else { return }
        // A first copy could not continue below a floor.
        guard copyCount.load(ordering: .sequentiallyConsistent) == 0 else { return }
        do {
            _ = try prune(before: cut, nil, "Options.retention", app)
        } catch {
            let code = StoreError.wrapping(error).code
            if code != .suspended, code != .closed { pruning.noteFailure(at: newest) }
            throw error
        }
    }

    /// Runs `body`, which copies the store, while nothing is pruned by `Options.retention`.
    func withCopy<R>(_ body: () throws -> R) rethrows -> R {
        copyCount.add(1, ordering: .sequentiallyConsistent)
        defer { copyCount.subtract(1, ordering: .sequentiallyConsistent) }
        return try body()
    }
}
