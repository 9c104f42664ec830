extension Store {
    /// What an undo of events would do to the newest state. It writes nothing.
    ///
    ///     let plan = try store.undoPlan(of: .event(sequence))
    ///     for change in plan.changes { print(change.kind, change.entity, change.id) }
    ///     for conflict in plan.conflicts { print(conflict) }
    ///
    /// - Parameters:
    ///   - target: the events.
    ///   - resolution: what to do about records that are not as the events left them.
    /// - Throws: `StoreError`, as the undo; conflicts are listed in the plan instead.
    /// - Complexity: that of the undo.
    public func undoPlan(
        of target: UndoTarget, resolving resolution: UndoResolution = .refuse
    ) throws -> UndoPlan {
        try undoPlanner(session).plan(target, resolution, resources.options)
    }

    /// Takes events back: writes one new event, after which the records that they have changed are
    /// as they were before them.
    ///
    ///     try store.undo(.event(sequence), by: "bob", because: "wrong order")
    ///     try store.undo(.correlation("import-7"), by: "bob", resolving: .skip)
    ///
    /// Each record goes back to what it was before the first of the events that changed it: it is
    /// deleted if they inserted it, and inserted if they deleted it, also by deleting all records
    /// of its entity. It comes back in the shape that it had. Whatever the events did in between
    /// plays no part.
    ///
    /// A record that other events have changed since, or between the events, is in conflict, unless
    /// it was changed back. So is one that the undo would delete while records that it leaves refer
    /// to it. `resolution` says what to do then. A record that is already as the undo would leave
    /// it is no conflict.
    ///
    /// The new event is an ordinary one: it is held to unique indexes and relations, and has the
    /// intent ``UndoEvents``, which says what was taken back. It is written also if nothing had to
    /// be changed. The undo of that event is the redo. The conflicts are decided on the state
    /// onto which the event is written: no other write slips in between.
    ///
    /// - Parameters:
    ///   - target: the events to take back.
    ///   - actor: who undoes. Default: that of `withMetadata`, also for the others.
    ///   - reason: why.
    ///   - metadata: more about the undo, such as correlation and tags.
    ///   - resolution: what to do about records that are not as the events left them.
    ///   - durability: how durable the new event is on return. Default: `Options.durability`.
    /// - Throws: `StoreError` with `.conflict`, whose ``StoreError/undoConflicts`` list the
    ///   records; `.noSuchEvent`; `.nothingToUndo` if the events changed no records;
    ///   `.uniqueViolation` and `.brokenReference` if what comes back contradicts what was written
    ///   since; `.deletionDenied`; `.notDecodable` and `.evolutionFailed` if a type does not read
    ///   what comes back; `.limitExceeded` for an event above ``Options/eventBytesMax``; what `write` throws.
    ///   Nothing was written then.
    /// - Complexity: O(changes of the events × log n) for up to 1,000 records; beyond that, or for
    ///   a deletion of all records, that of ``snapshot(asOf:)`` before the events. Other writers
    ///   wait for O(records × log n) only. With a correlation it reads the whole log.
    @discardableResult
    public func undo(
        _ target: UndoTarget, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), resolving resolution: UndoResolution = .refuse,
        durability: Durability? = nil
    ) throws -> UndoResult {
        try undo(
            target, resolution,
            UndoRequest(
                actor: actor, reason: reason, metadata: metadata, durability: durability))
    }

    /// Takes one event back, as the undo of ``UndoTarget/event(_:)``.
    ///
    ///     try store.undo(sequence, by: "bob", because: "wrong order")
    @discardableResult
    public func undo(
        _ sequence: SequenceNumber, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), resolving resolution: UndoResolution = .refuse,
        durability: Durability? = nil
    ) throws -> UndoResult {
        try undo(
            .event(sequence), by: actor, because: reason, metadata: metadata,
            resolving: resolution, durability: durability)
    }

    /// - Parameters:
    ///   - step: the step of an `UndoStack`.
    ///   - condition: called with the state onto which the event is written.
    func undo(
        _ target: UndoTarget, _ resolution: UndoResolution, _ request: UndoRequest,
        step: UndoEvents.Step? = nil, expecting condition: (Snapshot) throws -> Void = { _ in }
    ) throws -> UndoResult {
        while true {
            let session = session
            let planner = undoPlanner(session)
            let past = try planner.reader.past(planner.ranges(of: target))
            let intent = UndoEvents(
                past.ranges, correlation: target.correlation, resolution: resolution, step: step)
            let write = try self.request(
                request.actor, request.reason, request.metadata, intent, request.durability)
            var receipt = Receipt(nil, write.durability, nil)
            do {
                let (count, conflicts) = try self.write(write, &receipt) { tx in
                    let state = try tx.snapshot
                    guard self.session === session else { throw StoreError.erased }
                    try condition(state)
                    if try planner.misses(target, before: state) { throw StaleUndo() }
                    let decisions = try UndoDecisions(past, on: state, resolution)
                    guard decisions.open.isEmpty else {
                        throw RefusedUndo(conflicts: decisions.open, sequence: state.sequence)
                    }
                    let writes = decisions.writes
                    try tx.overlay.restore(writes)
                    return (writes.count, decisions.decided)
                }
                guard let sequence = receipt.sequence else {
                    preconditionFailure("A write with an intent leaves an event.")
                }
                // The undo is done: an error in the reading of the log must not deny that.
                let detailed = try? planner.withEvents(
                    conflicts, past, through: sequence.advanced(by: -1))
                return UndoResult(
                    sequence: sequence, receipt: receipt, events: past.ranges, changeCount: count,
                    conflicts: detailed ?? conflicts)
            } catch let refused as RefusedUndo {
                throw StoreError.undoConflict(
                    try planner.withEvents(
                        refused.conflicts, past, through: refused.sequence))
            } catch is StaleUndo {
                // An event of the correlation was written meanwhile: it is undone, too.
                continue
            }
        }
    }

    private func undoPlanner(_ session: StoreSession) -> UndoPlanner {
        UndoPlanner(
            HistoryReader(log: session.engine, empty: session.empty), session.history,
            view.current)
    }
}

/// The metadata and the durability of an undo's event.
struct UndoRequest {
    var actor: String?
    var reason: String?
    var metadata = Metadata()
    var durability: Durability?
}

/// Ends the write block of an undo that conflicts stop.
private struct RefusedUndo: Error {
    let conflicts: [UndoConflict]
    let sequence: SequenceNumber
}

/// Ends the write block of an undo that knows only some of its events.
private struct StaleUndo: Error {}
