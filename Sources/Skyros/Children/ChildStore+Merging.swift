import SkyrosDisk

extension ChildStore {
    /// Writes the child's edits into its parent, as one event; afterwards both have the same state.
    ///
    ///     let result = try draft.merge(because: "order changed")
    ///     try draft.merge(policy: .parentWins)
    ///
    /// Each record is merged field by field: what the child changed since the fork, and what the
    /// parent changed meanwhile. Where both changed the same field, or one side deleted what the
    /// other changed, the policy decides. Readers of the parent see all edits or none. The child
    /// stays usable: a second merge writes what was edited since.
    ///
    /// If it throws, the parent is as it was, and the child keeps its edits: except for
    /// `.durabilityLost` of an event that was written, as for `Store.write`.
    ///
    /// - Parameters:
    ///   - actor: who makes the change. Default: the actor of `fork(by:)`.
    ///   - reason: why.
    ///   - metadata: more about the change, such as correlation and tags.
    ///   - intent: the domain command that led to the change, kept as data.
    ///   - durability: how durable the event is on return. Default: `Options.durability`. As the
    ///     parameters before, it concerns a merge into a store; a child store has no events.
    ///   - policy: what to do about records that both sides have changed.
    /// - Throws: `StoreError` with `.mergeConflict`, whose `conflicts` names every record;
    ///   `.discarded`, also of a parent; `.uniqueViolation`; `.limitExceeded` for an event above
    ///   `Options.eventBytesMax`; `.nestedWrite` inside a write block of the child or its parent;
    ///   what `Store.write` throws; what a closure of the policy throws.
    /// - Complexity: O(edits log n).
    @discardableResult
    public func merge(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        policy: MergePolicy = .childFieldsWin
    ) throws -> MergeResult {
        let request = try request(actor, reason, metadata, intent, durability)
        try root.checkProcess()
        let result = try writer.withLock { try runMerge(request, policy) }
        guard request.durability == .durable, let receipt = result.receipt else { return result }
        return result.with(try receipt.madeDurable())
    }

    /// Merges on the child's own thread, and suspends until the durability is reached.
    @discardableResult
    public func merge(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        policy: MergePolicy = .childFieldsWin
    ) async throws -> MergeResult {
        let request = try request(actor, reason, metadata, intent, durability)
        let result = try await withCheckedThrowingContinuation { continuation in
            enqueue(isBounded: false, { child in try child.runMerge(request, policy) }) {
                continuation.resume(with: $0)
            }
        }
        guard request.durability == .durable, let receipt = result.receipt else { return result }
        return result.with(
            try await withCheckedThrowingContinuation { continuation in
                receipt.whenDurable { continuation.resume(with: $0) }
            })
    }

    /// Brings the parent's newest state under the child's edits, field by field.
    ///
    /// The edits stay on top, also where the parent changed the same field or deleted the record.
    /// Such conflicts are returned; they remain conflicts for the next merge.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation` if an edit and a record of the parent have
    ///   the same unique value; `.brokenReference` if an edit refers to a record that the parent
    ///   has deleted; `.deletionDenied` if a record of the parent refers to one that the child has
    ///   deleted, and its relation denies that; `.discarded`, also of a parent; `.nestedWrite`
    ///   inside a write block of the child. Nothing was changed then.
    /// - Complexity: O(edits log n).
    @discardableResult
    public func refresh() throws -> [MergeConflict] {
        try root.checkProcess()
        return try writer.withLock {
            _ = try snapshot
            let state = try origin.snapshot
            try checkSession()
            let plan = try fork.withLock { $0 }.plan(onto: state, .refresh)
            var batch = CommandBatch(metadata: Metadata(), intent: nil)
            try writer.stage(on: state, into: &batch) { tx in try tx.overlay.apply(plan.writes) }
            try change { try $0.refresh(to: state, plan, batch.changes) }
            return plan.decided
        }
    }

    private func request(
        _ actor: String?, _ reason: String?, _ metadata: Metadata,
        _ intent: (any DomainCommand)?, _ durability: Durability?
    ) throws -> WriteRequest {
        let own = metadata.actor == nil ? self.actor : nil
        return try root.request(actor ?? own, reason, metadata, intent, durability)
    }

    /// Merges. The calling thread must hold the child's writer lock; it takes the parent's.
    private func runMerge(_ request: WriteRequest, _ policy: MergePolicy) throws -> MergeResult {
        _ = try snapshot
        let fork = fork.withLock { $0 }
        var plan = MergePlan()
        let (state, receipt) = try origin.runMerge(request) { tx in
            try checkSession()
            plan = try fork.plan(onto: tx.snapshot, .merge(policy))
            if !plan.open.isEmpty { throw StoreError.mergeConflict(plan.open) }
            try tx.overlay.apply(plan.writes)
        }
        change { $0.continueMerged(from: state) }
        return MergeResult(
            sequence: receipt?.sequence, receipt: receipt, changeCount: plan.changeCount,
            conflicts: plan.decided)
    }
}

extension ChildStore: ForkOrigin {
    var root: Store { origin.root }

    func runMerge(
        _ request: WriteRequest, _ block: (inout WriteTransaction) throws -> Void
    ) throws -> (state: Snapshot, receipt: Receipt?) {
        try writer.withLock {
            try run(block)
            return (try snapshot, nil)
        }
    }
}
