import SkyrosDisk
import SkyrosLog

// The steps of a write: block → command batch → event → snapshot.

extension Store {
    /// Runs a write block and commits what it changed. The calling thread must hold the writer
    /// lock.
    ///
    /// - Parameter receipt: the proof of the write, once this returns.
    func commit<R>(
        _ request: WriteRequest, _ receipt: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        try checkOpen()
        let session = session
        let log = session.log
        // Of all that the block can see. If a node loses its turn meanwhile, that may be lost.
        let end = log.engine.end
        try session.checkWriter()
        // Of a log on a server, one state for all steps, since the turn may end between them. A
        // view that changes in place must be the only one that has its state.
        let pending = session.publication?.newestWithPosition
        func base() -> Snapshot { pending?.state ?? view.current }
        // Errors also show what is not acknowledged yet.
        if let seen = pending?.position {
            receipt = self.receipt(nil, request.durability, at: seen, in: session)
        }
        if let condition = request.condition { try check(condition, on: base()) }
        var batch = CommandBatch(metadata: request.metadata, intent: request.intent)
        batch.key = request.key
        let result = try writer.stage(on: base(), into: &batch, block)
        guard !batch.isEmpty else {
            // Durability concerns everything before the block too (promises P1 and P2).
            if request.durability == .buffered { try StoreError.wrap(try log.engine.flush()) }
            receipt = self.receipt(nil, request.durability, at: end, in: session)
            return result
        }
        try base().requireReason(for: batch)
        try session.recorder.record(in: &batch, on: base())
        try commitHooks.run(batch, on: base())
        try session.evolutionBackup?.make(at: view.current.sequence) { try session.syncFiles() }
        let appended = try log.append(
            batch, at: batch.nowMicroseconds ?? resources.environment.clock.nowMicroseconds(),
            deferring: request.durability == .deferred || session.publication != nil)
        if let key = batch.key { session.keys.note(key, batch.intent, appended.stamp) }
        session.recent.note(batch.changes, as: appended.stamp, after: base().chainHash)
        try apply(batch, appended, on: base(), in: session)
        session.recorder.noteAppended(batch)
        session.syncer.noteAppended()
        // Of what has to be acknowledged, readers learn then.
        if session.publication == nil {
            session.announce(
                batch.changes, of: appended.stamp.sequence, byteCount: appended.byteCount)
        }
        receipt = self.receipt(
            appended.stamp.sequence, request.durability, at: appended.position, in: session)
        return result
    }

    /// Applies the batch to the main view, so that every later read sees it; or to the state that
    /// is shown when it is acknowledged.
    private func apply(
        _ batch: borrowing CommandBatch, _ appended: EventLog.Appended,
        on base: @autoclosure () -> Snapshot, in session: StoreSession
    ) throws {
        let stamp = appended.stamp
        let replay = try StoreReplayCheck(of: batch, as: stamp, on: base())
        if session.publication != nil || resources.projections != nil {
            let (next, dirty) = try nextState(batch, as: stamp, on: base())
            try replay?.compare(with: next)
            if let publication = session.publication {
                publication.add(
                    Publication.Entry(
                        position: appended.position, state: next, dirty: dirty,
                        changes: batch.changes, byteCount: appended.byteCount))
            } else {
                view.advance(to: next, dirty: dirty)
            }
        } else {
            try view.update(changeCount: batch.changes.count) { snapshot, dirty in
                try Projector.apply(
                    batch.changes, recording: batch.schemas, as: stamp, to: &snapshot,
                    marking: &dirty)
            }
            try replay?.compare(with: view.current)
        }
    }

    /// The state after the batch, with its projections. Their code runs under no other lock than
    /// the writer's.
    private func nextState(
        _ batch: borrowing CommandBatch, as stamp: EventStamp, on state: consuming Snapshot
    ) throws -> (Snapshot, DirtyRows) {
        var dirty = DirtyRows(isRecording: view.isRecording)
        guard let projections = resources.projections else {
            try Projector.apply(
                batch.changes, recording: batch.schemas, as: stamp, to: &state, marking: &dirty)
            return (state, dirty)
        }
        let event = try AppliedEvent(batch, as: stamp, on: &state, marking: &dirty)
        projections.apply(event)
        state.projections = projections.values()
        return (state, dirty)
    }

    /// The receipt of an event, or of all events before a position.
    func receipt(
        _ sequence: SequenceNumber?, _ durability: Durability, at position: LogPosition,
        in session: StoreSession
    ) -> Receipt {
        let promise = DurabilityPromise(
            log: session.engine, position: position, syncer: session.syncer,
            subscriptions: session.subscriptions)
        return Receipt(sequence, Swift.min(durability, .buffered), promise)
    }
}
