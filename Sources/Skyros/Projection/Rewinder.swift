import SkyrosLog

/// Takes events back: makes the state before them from the values that they hold.
///
/// It is the inverse of `Projector`, for states that are nearer to the end of a log than to its
/// beginning. It reads no clock and no random number, and runs no user code but the steps of
/// evolution that an index needs.
enum Rewinder {
    /// Whether an event says what was there before it.
    ///
    /// A clearing does not hold the records that it deleted, and an event that records a shape does
    /// not say what was recorded before.
    static func canTakeBack(_ event: Event) -> Bool {
        guard event.schemas.isEmpty else { return false }
        return !event.changes.contains { change in
            if case .cleared = change { true } else { false }
        }
    }

    /// Takes back the last event of a state, for which `canTakeBack` must be true.
    ///
    /// The state keeps the sequence, time and chain hash of the event: the caller sets those of the
    /// one before. A deleted record comes back under another row number.
    ///
    /// - Returns: the changes that make the state before of the one after, the first one first.
    /// - Complexity: O(changes · log n).
    /// - Throws: `StoreError` with `.invalidEvent` if the event does not fit the state: then this
    ///   library did not write the log. The state must be discarded afterwards.
    static func takeBack(
        _ event: Event, from snapshot: inout Snapshot
    ) throws -> [StagedChange] {
        snapshot.projections = nil
        do {
            return try event.changes.indices.reversed().map { index in
                let change = event.versionedChange(at: index)
                return try takeBack(change, of: event.sequence, from: &snapshot)
            }
        } catch let error as CBORError {
            throw misfit(event.sequence, error.description)
        }
    }

    private static func takeBack(
        _ versioned: VersionedChange, of event: SequenceNumber, from snapshot: inout Snapshot
    ) throws -> StagedChange {
        let change = versioned.change
        guard let id = change.id, let index = snapshot.index(of: change.entity) else {
            throw misfit(event, "it changes \(change.entity), which has no records")
        }
        var place: String { "\(change.entity) \(id)" }
        // The records that come back may contradict the type of today.
        snapshot.tables[index].areFieldsCompared = false
        let old = snapshot.tables[index].row(id)
        switch (change, old) {
        case (.inserted(let record), let row?):
            guard row.bytes == record.fields.bytes else {
                throw misfit(event, "it inserts \(place), which is another record after it")
            }
            try snapshot.tables[index].remove(row)
            return StagedChange(change: change, table: index, effect: .remove(row))
        case (.updated(_, _, let before, let after), let row?):
            let bytes = try Fields.applying(
                before: after.bytes, after: before.bytes, to: row.bytes)
            guard let bytes else {
                throw misfit(event, "it leaves \(place), which is another record after it")
            }
            let former = snapshot.tables[index].storedRow(
                id, hash: row.hash, number: row.number,
                version: versioned.formerVersion ?? versioned.version, bytes: bytes)
            try snapshot.tables[index].put(former, replacing: row)
            return StagedChange(change: change, table: index, effect: .put(former, old: row))
        case (.deleted(let record), nil):
            let former = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id),
                number: snapshot.tables[index].nextNumber, version: versioned.version,
                bytes: record.fields.bytes)
            try snapshot.tables[index].put(former, replacing: nil)
            return StagedChange(change: change, table: index, effect: .put(former, old: nil))
        case (.inserted, nil), (.updated, nil):
            throw misfit(event, "it leaves \(place), which does not exist after it")
        case (.deleted, _):
            throw misfit(event, "it deletes \(place), which exists after it")
        case (.cleared, _):
            throw misfit(event, "it clears \(change.entity)")
        }
    }

    private static func misfit(_ event: SequenceNumber, _ why: String) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(event) does not fit the state after it (run `skyros verify`): \(why)",
            at: StoreError.Place(sequences: event...event))
    }
}
