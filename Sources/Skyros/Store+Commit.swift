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
        if let condition = request.condition { try check(condition, on: view.current) }
        var batch = CommandBatch(metadata: request.metadata, intent: request.intent)
        batch.key = request.key
        let result = try writer.stage(on: view.current, into: &batch, block)
        guard !batch.isEmpty else {
            // Durability concerns everything before the block too (promises P1 and P2).
            if request.durability == .buffered { try StoreError.wrap(try log.engine.flush()) }
            receipt = self.receipt(nil, request.durability, at: log.engine.end, in: session)
            return result
        }
        try view.current.requireReason(for: batch)
        try session.recorder.record(in: &batch, on: view.current)
        try commitHooks.run(batch, on: view.current)
        try resources.evolutionBackup?.make(at: view.current.sequence) {
            try StoreError.wrap(try log.engine.sync(through: log.engine.end))
        }
        let appended = try log.append(
            batch, at: batch.nowMicroseconds ?? resources.environment.clock.nowMicroseconds(),
            deferring: request.durability == .deferred)
        if let key = batch.key { session.keys.note(key, batch.intent, appended.stamp) }
        try publish(batch, as: appended.stamp)
        session.recorder.noteAppended(batch)
        let sequence = appended.stamp.sequence
        let affected = session.liveHub.note(batch.changes, of: sequence)
        receipt = announce(
            appended, changeCount: batch.changes.count, request.durability, in: session)
        LiveHub.wake(affected, for: sequence)
        return result
    }

    /// Applies the batch to the main view, so that every later read sees it.
    private func publish(_ batch: borrowing CommandBatch, as stamp: EventStamp) throws {
        let replay = try StoreReplayCheck(of: batch, as: stamp, on: view)
        if let projections = resources.projections {
            try publish(batch, as: stamp, with: projections)
        } else {
            try view.update(changeCount: batch.changes.count) { snapshot, dirty in
                try Projector.apply(
                    batch.changes, recording: batch.schemas, as: stamp, to: &snapshot,
                    marking: &dirty)
            }
        }
        try replay?.compare(with: view.current)
    }

    /// The same, with the projections of the next state. Their code runs under no other lock than
    /// the writer's.
    private func publish(
        _ batch: borrowing CommandBatch, as stamp: EventStamp, with projections: ProjectionSet
    ) throws {
        var next = view.current
        var dirty = DirtyRows(isRecording: view.isRecording)
        let event = try AppliedEvent(batch, as: stamp, on: &next, marking: &dirty)
        projections.apply(event)
        next.projections = projections.values()
        view.advance(to: next, dirty: dirty)
    }

    /// Notifies the background threads and the streams of the new event.
    private func announce(
        _ appended: EventLog.Appended, changeCount: Int, _ durability: Durability,
        in session: StoreSession
    ) -> Receipt {
        let sequence = appended.stamp.sequence
        session.syncer.noteAppended()
        session.maintenance.noteAppended(
            changeCount: changeCount, byteCount: appended.byteCount)
        session.signal.raise(sequence)
        session.noteProjections(of: view.current)
        return receipt(sequence, durability, at: appended.position, in: session)
    }

    private func receipt(
        _ sequence: SequenceNumber?, _ durability: Durability, at position: LogPosition,
        in session: StoreSession
    ) -> Receipt {
        let promise = DurabilityPromise(
            log: session.engine, position: position, syncer: session.syncer,
            subscriptions: session.subscriptions)
        return Receipt(sequence, Swift.min(durability, .buffered), promise)
    }
}
