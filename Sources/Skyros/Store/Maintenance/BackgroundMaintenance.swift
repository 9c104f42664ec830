import SkyrosDisk
import SkyrosLog
import Synchronization

/// Seals and merges segments, writes checkpoints, and makes and merges runs of the history, on a
/// dedicated thread.
///
/// A checkpoint is due when opening the store would take longer than `Options.openingTarget`, as
/// estimated from the changes and bytes since the last checkpoint.
final class BackgroundMaintenance: Sendable {
    let log: any LogEngine
    let view: MainView
    let keys: IdempotencyKeys
    let checkpointer: Checkpointer?
    let history: HistoryIndex?
    let projections: ProjectionSet?
    let subscriptions: SubscriptionHub
    let report: @Sendable (any Error) -> Void
    private let scrubber: Scrubber?
    let clock: any WallClock
    let pruning: PruneSchedule?
    private let queue = SerialQueue()
    /// Held during each run.
    let running = Locked(())

    /// The estimated time of replaying the events since the last checkpoint.
    private let tailNanoseconds = Atomic(0)
    private let targetNanoseconds: Int
    /// Bytes appended since the last wake-up.
    private let bytesSinceWake = Atomic(0)
    private let wakeThresholdBytes: Int
    /// Whether projections have something to keep.
    private let areProjectionsDue = Atomic(false)
    let freeMemory = FreeMemory()
    /// Whether a run is queued and has not started.
    private let isScheduled = Atomic(false)
    /// Whether nothing was written for a while, so that the active segment ends.
    private let isIdle = Atomic(false)
    let hasEnded = Atomic(false)
    /// The number of copies of the store that are being made.
    let copyCount = Atomic(0)
    /// The number of prunes whose place is known: nothing is merged meanwhile.
    let plannedPrunes = Atomic(0)
    /// The state before the first event of all.
    let empty: Snapshot
    /// The number of merges in one run, and when the store is closed. A store with many small
    /// segments, of other options, is merged over time.
    private static let mergesMax = 8

    init(
        _ log: any LogEngine, _ empty: Snapshot, _ view: MainView, _ keys: IdempotencyKeys,
        _ checkpointer: Checkpointer?, _ history: HistoryIndex?, _ projections: ProjectionSet?,
        _ subscriptions: SubscriptionHub, _ options: Store.Options, _ scrubber: Scrubber?,
        _ clock: any WallClock,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.empty = empty
        self.view = view
        self.keys = keys
        self.checkpointer = checkpointer
        self.history = history
        self.projections = projections
        self.subscriptions = subscriptions
        self.report = report
        self.scrubber = scrubber
        self.clock = clock
        pruning = RetentionPlan(options.retention).map { PruneSchedule($0, log, clock) }
        targetNanoseconds = options.openingTarget.milliseconds * 1_000_000
        wakeThresholdBytes = max(1, options.segmentBytesMax / 4)
    }

    /// Begins with what an earlier process has left to do. Called once, when all else of the
    /// session has started: so an opening does the same operations in the same order each time.
    func start() {
        let isSealingDue = log.segments.map { $0.endedSegmentCount > 0 } ?? false
        if isSealingDue || history?.isDue ?? false || isPruningDue { wake() }
    }

    private var isCheckpointDue: Bool {
        tailNanoseconds.load(ordering: .relaxed) > targetNanoseconds
            || areProjectionsDue.load(ordering: .relaxed)
    }

    /// Writes a checkpoint soon: projections have something to keep that no event has led to.
    func noteProjections() {
        areProjectionsDue.store(true, ordering: .relaxed)
        wake()
    }

    private var isPruningDue: Bool { pruning?.cut(at: view.current.time) != nil }

    /// Adds the cost of an event. A few nanoseconds.
    func noteAppended(changeCount: Int, byteCount: Int) {
        let cost = OpeningCost.ofTail(changeCount: changeCount, byteCount: byteCount)
        let tail = tailNanoseconds.add(cost, ordering: .relaxed).newValue
        let bytes = bytesSinceWake.add(byteCount, ordering: .relaxed).newValue
        history?.noteAppended(byteCount: byteCount)
        let isDue = checkpointer != nil && tail > targetNanoseconds
        if isDue || bytes > wakeThresholdBytes || history?.isDue ?? false { wake() }
    }

    /// After a pause without a write, seals the active segment, if it holds enough, and those that
    /// have ended before they were full, and makes a run of what has none.
    func noteIdle() {
        history?.notePause()
        guard let segments = log.segments,
            segments.isActiveSealable || segments.endedSegmentCount > 0 || isPruningDue
                || history?.isDue ?? false
        else { return }
        isIdle.store(true, ordering: .relaxed)
        wake()
    }

    /// Ends the active segment, if it holds enough, nothing was written meanwhile, and everything
    /// is durable.
    func endSegment() throws {
        let last = view.current
        _ = try log.segments?.endSegment(
            after: last.sequence.rawValue, at: last.time.microseconds)
    }

    /// Seals and merges what is due when the store is closed, on the calling thread, after `stop`.
    ///
    /// An error is only reported: the events are durable, and the next opening seals them. But
    /// after a failed sync the log throws when it is closed.
    func sealBeforeClosing() {
        do {
            try log.sync(through: log.end)
            try endSegment()
            try sealEnded(atMost: .max)
            for _ in 0..<Self.mergesMax where try !mergeNext() { return }
        } catch {
            let error = StoreError.wrapping(error)
            if error.code != .durabilityLost { report(error) }
        }
    }

    func sealEnded(atMost count: Int) throws {
        for _ in 0..<count where try !(log.segments?.sealNext() ?? false) { return }
    }

    private func mergeNext() throws -> Bool {
        guard plannedPrunes.load(ordering: .sequentiallyConsistent) == 0 else { return false }
        return try log.segments?.mergeNext() ?? false
    }

    /// Reads some of the sealed segments again: a minute of use has passed.
    func noteMinute() {
        if isPruningDue { wake() }
        if scrubber?.beginMinute() ?? false { continueScrub() }
    }

    /// Runs a step of the scrub after everything that is queued, and the next one after that.
    private func continueScrub() {
        guard let scrubber else { return }
        // Without a thread, the next minute tries again.
        try? queue.enqueue { [weak self] in
            guard let self else { return }
            if running.withLock({ _ in scrubber.step() }) { continueScrub() }
        }
    }

    /// Reads what a minute of use allows, on the calling thread.
    func scrub() {
        guard let scrubber, scrubber.beginMinute() else { return }
        while running.withLock({ _ in scrubber.step() }) {}
    }

    /// Writes a checkpoint of the newest state, on the calling thread.
    ///
    /// The log is synced first: a checkpoint is never ahead of the durable log (promise P7).
    func checkpoint() throws { try checkpoint(with: appState(forPruning: false)) }

    /// The same, while nothing else is sealed or written.
    func checkpointAlone() throws {
        let app = try appState(forPruning: false)
        try running.withLock { _ in try checkpoint(with: app) }
    }

    /// What the app's code says before a run. No lock of this type is held when it is asked. So it
    /// may be of an earlier state than the one that is written.
    struct AppState {
        /// What the next checkpoint keeps of the projections.
        var projections: [StoredProjection] = []
        /// Whether it was asked which events must be kept.
        var mayPrune = false
        /// The first of these; nil if all may go.
        var firstNeeded: SequenceNumber?
    }

    func appState(forPruning isPruning: Bool) throws -> AppState {
        var state = AppState(mayPrune: isPruning)
        if isPruning { state.firstNeeded = try subscriptions.firstNeededByApp() }
        guard let projections, checkpointer != nil else { return state }
        let snapshot = view.current
        state.projections = projections.stored(snapshot)
        // An opening continues from these values.
        let next = snapshot.sequence.next
        state.firstNeeded = min(state.firstNeeded ?? next, next)
        return state
    }

    /// The same for a run in the background; nil if nothing is due.
    private func appStateIfDue() -> AppState? {
        let isPruning = mayPrune
        guard isPruning || isCheckpointDue else { return nil }
        do {
            return try appState(forPruning: isPruning)
        } catch {
            // A position cannot be read: the history stays.
            pruning?.noteFailure(at: view.current.time)
            report(StoreError.wrapping(error))
            return try? appState(forPruning: false)
        }
    }

    func checkpoint(with app: AppState) throws {
        areProjectionsDue.store(false, ordering: .relaxed)
        guard let checkpointer else { return }
        let (snapshot, dirty) = view.takeDirty()
        let cost = tailNanoseconds.exchange(0, ordering: .relaxed)
        let isWritten =
            checkpointer.sequence == snapshot.sequence && checkpointer.holds(app.projections)
        if isWritten || snapshot.sequence == .zero { return }
        do {
            try log.sync(through: log.end)
            try checkpointer.write(snapshot, dirty, keys, app.projections)
        } catch {
            view.restoreDirty(dirty)
            tailNanoseconds.add(cost, ordering: .relaxed)
            throw StoreError.wrapping(error)
        }
    }

    /// Runs `body` while nothing is sealed and no checkpoint is written; waits for what is.
    func withPause<R>(_ body: () throws -> R) rethrows -> R {
        try running.withLock { _ in try body() }
    }

    /// Finishes the current run and ends the thread.
    func stop() {
        queue.stop()
    }

    /// Stops for good: waits for a prune that another thread runs, and refuses the next one. What
    /// follows closes the files.
    func end() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        stop()
        running.withLock { _ in }
    }

    private func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        do throws(ThreadShortage) {
            try queue.enqueue { self.runPending() }
        } catch {
            // The next event that is due tries again.
            isScheduled.store(false, ordering: .releasing)
            report(StoreError(error))
        }
    }

    /// What a wake-up does, on the calling thread.
    func runPending() {
        isScheduled.store(false, ordering: .releasing)
        let bytes = bytesSinceWake.exchange(0, ordering: .relaxed)
        if isIdle.exchange(false, ordering: .relaxed) {
            running.withLock { _ in attempt { try endSegment() } }
        }
        // A merge may take as long as the rest; what is due by then comes before the next one.
        var mergeCount = 0
        while true {
            let app = appStateIfDue()
            let hasMerged = running.withLock { _ in runOnce(app) }
            if let app { attempt { try pruneIfDue(app) } }
            guard hasMerged else { break }
            mergeCount += 1
            if mergeCount == Self.mergesMax {
                wake()
                break
            }
        }
        freeMemory.note(bytes)
    }

    /// Does what is due, with one merge at most; returns whether there was one.
    ///
    /// - Parameter app: nil if neither a checkpoint nor a prune was due before.
    private func runOnce(_ app: AppState?) -> Bool {
        attempt {
            guard let segments = log.segments else { return }
            try sealEnded(atMost: segments.endedSegmentCount)
            // A writer may end segments as fast as they are sealed: other work comes before those.
            if segments.endedSegmentCount > 0 { wake() }
        }
        if let app, isCheckpointDue { attempt { try checkpoint(with: app) } }
        var hasMerged = false
        attempt { hasMerged = try mergeNext() }
        if !hasMerged { attempt { hasMerged = try makeRun() } }
        return hasMerged
    }

    /// Makes or merges a run of the history, if one is due; returns whether it did.
    private func makeRun() throws -> Bool {
        guard let history else { return false }
        // What was written during a long merge gets its run between two steps of it.
        let hasMade = try history.isDue && makeRun(history, isComplete: false)
        return try history.mergeNext() || hasMade
    }

    private func makeRun(_ history: HistoryIndex, isComplete: Bool) throws -> Bool {
        do {
            return try history.makeNext(
                through: view.current.sequence, from: { [view] in view.current },
                isComplete: isComplete,
                syncing: { try StoreError.wrap(try log.sync(through: log.end)) })
        } catch {
            // The next attempt comes when more was written.
            history.noteUncovered(byteCount: 0)
            throw error
        }
    }

    /// Makes runs of the whole log, and merges those that are due, on the calling thread.
    func indexHistory() throws {
        guard let history else { return }
        // Runs are merged as they come: each keeps a file open.
        while try history.mergeNext() || makeRun(history, isComplete: true) {}
    }

    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            report(StoreError.wrapping(error))
        }
    }
}
