import SkyrosLog

/// The fold: applies one event after the other to a state.
///
/// The same code runs for a live write, when the store is opened, on replay, as of a moment of the
/// past, and in the command-line tool (promise P7). It runs no user code and reads no clock and no
/// random number.
enum Projector {
    /// Applies an event of the log to `snapshot`, which must be the state just before it.
    ///
    /// - Parameters:
    ///   - chainHash: the chain hash through the event.
    ///   - dirty: marks the rows that changed, for the checkpoint.
    /// - Throws: `StoreError` with `.invalidEvent` if the event does not fit the state: then this
    ///   library did not write the log. The snapshot must be discarded afterwards.
    static func apply(
        _ event: Event, chainHash: ChainHash, to snapshot: inout Snapshot,
        marking dirty: inout DirtyRows
    ) throws {
        let stamp = EventStamp(sequence: event.sequence, time: event.time, chainHash: chainHash)
        try apply(event.versionedChanges, as: stamp, to: &snapshot, &dirty) { change, snapshot in
            try stage(change, of: stamp.sequence, on: &snapshot)
        }
        event.schemas.forEach { snapshot.schemas[$0.key] = $0.value }
    }

    /// Applies an event of the log, and returns its changes with the rows before and after.
    ///
    /// - Throws: as `apply(_:chainHash:to:marking:)`.
    static func applyListing(
        _ event: Event, chainHash: ChainHash, to snapshot: inout Snapshot
    ) throws -> [StagedChange] {
        var unused = DirtyRows(isRecording: false)
        return try applyListing(event, chainHash: chainHash, to: &snapshot, marking: &unused)
    }

    /// The same, and marks the rows that changed.
    static func applyListing(
        _ event: Event, chainHash: ChainHash, to snapshot: inout Snapshot,
        marking dirty: inout DirtyRows
    ) throws -> [StagedChange] {
        var list: [StagedChange] = []
        list.reserveCapacity(event.changes.count)
        let stamp = EventStamp(sequence: event.sequence, time: event.time, chainHash: chainHash)
        try apply(event.versionedChanges, as: stamp, to: &snapshot, &dirty) { change, snapshot in
            let staged = try stage(change, of: stamp.sequence, on: &snapshot)
            list.append(staged)
            return staged
        }
        event.schemas.forEach { snapshot.schemas[$0.key] = $0.value }
        return list
    }

    /// Applies the changes that a write block has staged on `snapshot`.
    ///
    /// - Parameter stamp: the sequence, time and chain hash that the log has given to the batch.
    /// - Throws: as above.
    static func apply(
        _ changes: [StagedChange], recording schemas: NamedValues<EntitySchema> = NamedValues(),
        as stamp: EventStamp, to snapshot: inout Snapshot, marking dirty: inout DirtyRows
    ) throws {
        try apply(changes, as: stamp, to: &snapshot, &dirty) { staged, _ in staged }
        schemas.forEach { snapshot.schemas[$0.key] = $0.value }
    }

    /// Applies the changes that a write block has staged on `snapshot` to a state that is not in
    /// the log: that of a child store. The position stays that of the event before.
    ///
    /// - Throws: as above.
    static func apply(_ changes: [StagedChange], to snapshot: inout Snapshot) throws {
        var unused = DirtyRows(isRecording: false)
        snapshot.projections = nil
        for staged in changes {
            addTable(of: staged, to: &snapshot)
            try apply(
                staged, of: snapshot.sequence, to: &snapshot.tables[staged.table], &unused)
        }
    }

    /// Stages and applies one change after the other: a change may build on the one before it.
    private static func apply<C>(
        _ changes: some Sequence<C>, as stamp: EventStamp, to snapshot: inout Snapshot,
        _ dirty: inout DirtyRows, staging: (C, inout Snapshot) throws -> StagedChange
    ) throws {
        let event = stamp.sequence
        guard event == snapshot.sequence.next else {
            throw invalid(event, "it cannot follow event \(snapshot.sequence)")
        }
        do {
            for change in changes {
                let staged = try staging(change, &snapshot)
                addTable(of: staged, to: &snapshot)
                try apply(staged, of: event, to: &snapshot.tables[staged.table], &dirty)
            }
        } catch let error as CBORError {
            throw invalid(event, error.description)
        }
        snapshot.sequence = stamp.sequence
        snapshot.time = stamp.time
        snapshot.chainHash = stamp.chainHash
        snapshot.projections = nil
    }

    /// Adds the table of an entity of which a write block has staged the first record.
    ///
    /// Replay adds it in the same order: that of the changes.
    private static func addTable(of staged: StagedChange, to snapshot: inout Snapshot) {
        guard staged.table == snapshot.tables.count else { return }
        _ = snapshot.tableIndex(of: staged.change.entity)
    }

    /// The step that every change of every state goes through.
    private static func apply(
        _ staged: StagedChange, of event: SequenceNumber, to table: inout Table,
        _ dirty: inout DirtyRows
    ) throws {
        switch staged.effect {
        case .put(let row, let old):
            guard try table.put(row, replacing: old) === old else {
                throw old == nil
                    ? misfit(staged.change, "it inserts", "exists", event)
                    : misfit(staged.change, "it updates", "is another row", event)
            }
            dirty.mark(row, of: event, in: table.entity, at: staged.table)
        case .remove(let row):
            guard try table.remove(row) === row else {
                throw misfit(staged.change, "it deletes", "is another row", event)
            }
            dirty.mark(row, of: event, in: table.entity, at: staged.table)
        case .clear(let count, _):
            guard table.count == count else {
                let why = "it clears \(count) records of \(table.entity), there are \(table.count)"
                throw invalid(event, why)
            }
            table.clear()
            dirty.markCleared(table.entity, at: staged.table)
        }
    }

    private static func misfit(
        _ change: Change, _ verb: String, _ fact: String, _ event: SequenceNumber
    ) -> StoreError {
        let id = change.id?.description ?? ""
        return invalid(event, "\(verb) \(change.entity) \(id), which \(fact)")
    }

    private static func invalid(_ event: SequenceNumber, _ why: String) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(event) does not fit the state before it (run `skyros verify`): \(why)",
            at: StoreError.Place(sequences: event...event))
    }
}

extension Projector {
    /// Finds the row that a change replaces, and makes the new one.
    private static func stage(
        _ versioned: VersionedChange, of event: SequenceNumber, on snapshot: inout Snapshot
    ) throws -> StagedChange {
        let change = versioned.change
        let index = snapshot.tableIndex(of: change.entity)
        let effect = try effect(of: versioned, in: event, on: snapshot.tables[index])
        return StagedChange(change: change, table: index, effect: effect)
    }

    private static func effect(
        of versioned: VersionedChange, in event: SequenceNumber, on table: borrowing Table
    ) throws -> StagedChange.Effect {
        let change = versioned.change
        switch change {
        case .inserted(let record):
            let row = table.storedRow(
                record.id, hash: table.hash(record.id), number: table.nextNumber,
                version: versioned.version, bytes: record.fields.bytes)
            return .put(row, old: nil)
        case .updated(_, let id, let fieldsBefore, let fieldsAfter):
            guard let old = table.row(id) else {
                throw misfit(change, "it updates", "does not exist", event)
            }
            let after = try Fields.applying(
                before: fieldsBefore.bytes, after: fieldsAfter.bytes, to: old.bytes)
            guard let after else { throw misfit(change, "it updates", "had other fields", event) }
            let row = table.storedRow(
                id, hash: old.hash, number: old.number, version: versioned.version, bytes: after)
            return .put(row, old: old)
        case .deleted(let record):
            guard let row = table.row(record.id) else {
                throw misfit(change, "it deletes", "does not exist", event)
            }
            guard row.bytes == record.fields.bytes else {
                throw misfit(change, "it deletes", "had other fields", event)
            }
            return .remove(row)
        case .cleared(_, let count):
            return .clear(count: count, old: copy table)
        }
    }
}
