import SkyrosLog

// Write blocks that run side by side: optimistic concurrency control.

extension Store {
    /// Runs a write block beside others, and commits it if nothing that it has read was changed
    /// meanwhile; otherwise runs it again.
    ///
    ///     try store.writeConcurrently(by: "pricing") { tx in
    ///         let lines = try tx.all(Line.self, where: \.order == order.id)
    ///         try tx.update(Order.self, order.id) { $0.price = price(of: lines) }    // slow
    ///     }
    ///
    /// `write` runs one block at a time. Of these, each runs on a snapshot, on its caller's thread,
    /// and other writers do not wait for it: only its commit takes a turn among theirs. So
    /// blocks that compute for long use several processors.
    ///
    /// Committed blocks are serializable, in the order of their events: the result is as if
    /// they had run one after the other. A block conflicts with an event if that changes the answer
    /// of a read by the block's transaction: a record, its absence, or which records a query finds.
    /// Two blocks that write one record conflict, too. Reads that go around the transaction, such
    /// as `store.get`, are not checked.
    ///
    /// As the block may run several times, it should do nothing but read and change records. A
    /// block that throws is not run again.
    ///
    /// - Parameters:
    ///   - actor: who makes the change, as for `write`.
    ///   - reason: why.
    ///   - metadata: more about the event.
    ///   - intent: the command that the block carries out.
    ///   - condition: what the write was decided on, checked before the block and at the commit:
    ///     it is not retried.
    ///   - durability: what the event survives when the call returns. Default: the store's.
    ///   - retries: how often the block is run again after a conflict. Default: 10.
    ///   - block: reads and changes records through the transaction.
    /// - Throws: `StoreError` with `.conflict` if each run met a conflict: nothing was changed;
    ///   what `write` throws.
    /// - Complexity: of the check, O(ids that were read × log n), and the queries times the
    ///   records of their entities that others changed meanwhile.
    @discardableResult
    public func writeConcurrently<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil, retries: Int = 10,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        var conflict: ReadConflict?
        for _ in 0...Swift.max(0, retries) {
            var seen = Receipt(nil, request.durability, nil)
            do {
                let (result, run) = try runConcurrently(request, &seen, block)
                if run == nil { try seen.waitUntilDurable() }
                var receipt = Receipt(nil, request.durability, nil)
                try write(request, &receipt) { tx in try run?.commit(in: &tx) }
                return result
            } catch let found as ReadConflict {
                conflict = found
            } catch {
                throw seen.error(error)
            }
        }
        throw StoreError.conflict(conflict, runCount: Swift.max(0, retries) + 1)
    }

    /// Runs a write block beside others, in the calling task, and commits it on the store's thread.
    ///
    /// The commit suspends instead of blocking. Parameters and errors are those of the synchronous
    /// form.
    @discardableResult
    public func writeConcurrently<R: Sendable>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil, retries: Int = 10,
        _ block: @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        var conflict: ReadConflict?
        for _ in 0...Swift.max(0, retries) {
            var seen = Receipt(nil, request.durability, nil)
            do {
                let (result, run) = try runConcurrently(request, &seen, block)
                if run == nil { try await seen.waitUntilDurable() }
                _ = try await withCheckedThrowingContinuation { continuation in
                    enqueue(
                        request, isBounded: false, finish: { continuation.resume(with: $0) }
                    ) {
                        try $0.commit(request, &$1) { tx in try run?.commit(in: &tx) }
                    }
                }
                return result
            } catch let found as ReadConflict {
                conflict = found
            } catch {
                let seen = seen
                throw await withCheckedContinuation { continuation in
                    seen.whenSeen(error) { continuation.resume(returning: $0) }
                }
            }
        }
        throw StoreError.conflict(conflict, runCount: Swift.max(0, retries) + 1)
    }

    /// Runs the block on the newest state, and compares what it has read with the state at its end:
    /// so the writer lock is held for the comparison with later events only.
    ///
    /// - Parameter seen: is given what the block has seen, if that may be lost with the turn to
    ///   write.
    /// - Returns: what the block returns, and the run to commit; nil if it changed nothing, so that
    ///   it takes effect at its beginning.
    /// - Throws: `ReadConflict`; what the block throws.
    private func runConcurrently<R>(
        _ request: WriteRequest, _ seen: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> (R, ConcurrentBlock?) {
        try checkProcess()
        try writer.lock.checkNotHeld()
        try concurrentThreads.check()
        try checkOpen()
        let session = session
        try session.checkWriter()
        let (base, position) = session.publication?.newestWithPosition ?? (view.current, nil)
        if let position { seen = receipt(nil, request.durability, at: position, in: session) }
        if let condition = request.condition { try check(condition, on: base) }
        let run = ConcurrentBlock(on: base, BlockInputs(resources.environment))
        let result = try concurrentThreads.run { try run.run(block) }
        if run.isReadOnly, request.intent == nil { return (result, nil) }
        try run.check(against: session.newest)
        return (result, run)
    }
}

extension StoreError {
    /// The error of a concurrent block whose every run met a conflict.
    fileprivate static func conflict(_ conflict: ReadConflict?, runCount: Int) -> StoreError {
        let entity = conflict?.entity
        let ids = conflict?.id.map { [$0] } ?? []
        let place = entity.map { "\($0) \(ids.first?.description ?? "")" } ?? ""
        return StoreError(
            .conflict,
            "a concurrent write block was run \(runCount) times, and each time another write "
                + "changed what it had read, at last \(place); nothing was written. Raise retries, "
                + "or use write, which runs one block at a time",
            at: Place(entity: entity, ids: ids))
    }
}
