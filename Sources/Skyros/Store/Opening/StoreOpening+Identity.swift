import SkyrosDisk
import SkyrosLog

extension StoreOpening {
    /// The records whose ids get another type, by entity.
    ///
    /// - Throws: `StoreError` with `.duplicateID`, `.evolutionFailed`; nothing was changed then.
    func identityEvolutions(of snapshot: Snapshot) throws -> [IdentityEvolution] {
        try schema.entities.indices.compactMap { index in
            guard let stored = snapshot.storedVersion(of: index) else { return nil }
            return try IdentityEvolution(snapshot.tables[index], at: index, from: stored)
        }.filter { !$0.rewritings.isEmpty }
    }

    /// The state in which these records have their new ids. Nothing is written.
    func state(_ snapshot: Snapshot, with evolutions: [IdentityEvolution]) throws -> Snapshot {
        guard !evolutions.isEmpty else { return snapshot }
        var state = snapshot
        try Projector.apply(batch(of: evolutions, in: snapshot).changes, to: &state)
        return state
    }

    private func batch(
        of evolutions: [IdentityEvolution], in snapshot: Snapshot
    ) -> CommandBatch {
        var batch = CommandBatch(
            metadata: Metadata(reason: "ids get another type"), intent: nil)
        for evolution in evolutions {
            evolution.addChanges(of: snapshot.tables[evolution.table].entity, to: &batch)
        }
        return batch
    }

    /// Rewrites these records in one event, and makes it durable.
    func rewrite(
        _ evolutions: [IdentityEvolution], in snapshot: inout Snapshot, _ dirty: inout DirtyRows,
        _ log: any LogEngine, _ report: inout RecoveryReport
    ) throws {
        guard !evolutions.isEmpty else { return }
        var batch = batch(of: evolutions, in: snapshot)
        for evolution in evolutions {
            let entity = snapshot.tables[evolution.table].entity
            report.changedIDs += evolution.rewritings.map { rewriting in
                ChangedID(entity: entity, old: rewriting.old.id, new: rewriting.new.id)
            }
        }
        try SchemaRecorder(schema, snapshot).record(in: &batch, on: snapshot)
        let events = EventLog(
            log, lastTime: snapshot.time,
            ClockGuard(jumpMax: options.clockJumpMax, report: { _ in }))
        let appended = try events.append(
            batch, at: environment.clock.nowMicroseconds(), deferring: false)
        try StoreError.wrap(try log.sync(through: appended.position))
        try Projector.apply(
            batch.changes, recording: batch.schemas, as: appended.stamp, to: &snapshot,
            marking: &dirty)
        report.sequence = snapshot.sequence
    }
}

/// A record whose id got another type at an opening.
public struct ChangedID: Hashable, Sendable {
    /// The entity.
    public let entity: String
    /// The id under which the record was stored.
    public let old: RecordID
    /// The id under which it is stored now.
    public let new: RecordID
}
