/// One attempt of an undo: what its events did is read when it is made, before the writer lock is
/// taken; conflicts are decided in the write block.
struct UndoAttempt: Sendable {
    /// What the write block did.
    struct Outcome: Sendable {
        let changeCount: Int
        let conflicts: [UndoConflict]
    }

    /// The intent of the undo's event.
    let intent: UndoEvents
    private let target: UndoTarget
    private let session: StoreSession
    private let planner: UndoPlanner
    private let past: UndonePast

    /// - Parameters:
    ///   - step: the step of an `UndoStack`.
    ///   - name: its name.
    /// - Throws: `StoreError` with `.noSuchEvent`, `.nothingToUndo`, `.logCorrupt` and the like.
    init(
        _ target: UndoTarget, _ resolution: UndoResolution, _ step: UndoEvents.Step?,
        named name: String? = nil, in store: Store
    ) throws {
        self.target = target
        session = store.session
        planner = UndoPlanner(store, session)
        past = try planner.reader.past(planner.ranges(of: target))
        intent = UndoEvents(
            past.ranges, correlation: target.correlation, resolution: resolution, step: step,
            name: name)
    }

    /// Stages the undo in a write block of the store.
    ///
    /// - Parameter condition: called with the state onto which the event is written.
    /// - Throws: `RefusedUndo`, `StaleUndo`; `StoreError` with `.erased` if the store was erased
    ///   since the past was read, `.historyChanged` if its server has another history since; what
    ///   `condition` throws.
    func stage(
        in tx: inout WriteTransaction, of store: Store,
        expecting condition: (Snapshot) throws -> Void
    ) throws -> Outcome {
        let state = try tx.snapshot
        guard store.session === session else { throw session.retirement ?? .erased }
        // The log is searched for events that were written since the past was read.
        try session.makeReadable(through: state)
        try condition(state)
        if try planner.misses(target, before: state) { throw StaleUndo() }
        let decisions = try UndoDecisions(past, on: state, intent.resolution)
        guard decisions.open.isEmpty else {
            throw RefusedUndo(conflicts: decisions.open, sequence: state.sequence)
        }
        let writes = decisions.writes
        try tx.overlay.restore(writes)
        return Outcome(changeCount: writes.count, conflicts: decisions.decided)
    }

    /// The result of an undo that was written.
    func result(of outcome: Outcome, _ receipt: Receipt) -> UndoResult {
        guard let sequence = receipt.sequence else {
            preconditionFailure("A write with an intent leaves an event.")
        }
        // The undo is done: an error in the reading of the log must not deny that.
        let detailed = try? planner.withEvents(
            outcome.conflicts, past, through: sequence.advanced(by: -1))
        return UndoResult(
            sequence: sequence, receipt: receipt, events: past.ranges,
            changeCount: outcome.changeCount, conflicts: detailed ?? outcome.conflicts)
    }

    /// The error of an undo that conflicts stop.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like.
    func error(of refused: RefusedUndo) throws -> StoreError {
        .undoConflict(
            try planner.withEvents(refused.conflicts, past, through: refused.sequence))
    }
}

extension UndoPlanner {
    /// A planner for the newest state of a store.
    init(_ store: Store, _ session: StoreSession) {
        self.init(
            HistoryReader(log: session.engine, empty: session.empty), session.history,
            store.view.current)
    }
}
