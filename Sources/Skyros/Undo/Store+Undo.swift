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
        try UndoPlanner(self, session).plan(target, resolution, resources.options)
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
    /// In asynchronous code `await` selects the form that suspends instead of blocking.
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
    ///   what comes back; `.limitExceeded` for an event above ``Options/eventBytesMax``; what
    ///   `write` throws. Nothing was written then, except for `.durabilityLost`.
    /// - Complexity: O(changes of the events × log n) for up to 1,000 records; beyond that, or for
    ///   a deletion of all records, that of ``snapshot(asOf:)`` before the events. Other writers
    ///   wait for O(records × log n) only. A correlation is found as by
    ///   ``events(_:where:newestFirst:)``.
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

    /// Takes events back on the store's thread, and suspends until the durability is reached.
    ///
    ///     let result = try await store.undo(.event(sequence), by: "bob")
    ///
    /// What the events did is read on the calling thread. Parameters and errors are those of the
    /// synchronous form.
    @discardableResult
    public func undo(
        _ target: UndoTarget, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), resolving resolution: UndoResolution = .refuse,
        durability: Durability? = nil
    ) async throws -> UndoResult {
        while true {
            let attempt = try UndoAttempt(target, resolution, nil, in: self)
            do {
                let (outcome, receipt) = try await writeWithReceipt(
                    by: actor, because: reason, metadata: metadata, intent: attempt.intent,
                    durability: durability
                ) { [self] tx in
                    try attempt.stage(in: &tx, of: self, expecting: { _ in })
                }
                return attempt.result(of: outcome, receipt)
            } catch let refused as RefusedUndo {
                throw try attempt.error(of: refused)
            } catch is StaleUndo {
                continue
            }
        }
    }

    /// Takes one event back on the store's thread, and suspends until the durability is reached.
    @discardableResult
    public func undo(
        _ sequence: SequenceNumber, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), resolving resolution: UndoResolution = .refuse,
        durability: Durability? = nil
    ) async throws -> UndoResult {
        try await undo(
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
            let attempt = try UndoAttempt(
                target, resolution, step, named: request.stepName, in: self)
            do {
                let (outcome, receipt) = try writeWithReceipt(
                    by: request.actor, because: request.reason, metadata: request.metadata,
                    intent: attempt.intent, durability: request.durability
                ) { tx in try attempt.stage(in: &tx, of: self, expecting: condition) }
                return attempt.result(of: outcome, receipt)
            } catch let refused as RefusedUndo {
                throw try attempt.error(of: refused)
            } catch is StaleUndo {
                continue
            }
        }
    }
}
