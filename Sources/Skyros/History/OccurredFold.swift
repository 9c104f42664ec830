import SkyrosLog

/// Folds events in the order in which they happened.
///
/// Unlike `Projector` it accepts changes that do not fit, and lists them. Like that it runs no user
/// code.
struct OccurredFold {
    private(set) var snapshot: Snapshot
    private(set) var misfits: [OccurredSnapshot.Misfit] = []

    /// - Parameter beginning: the state before the first event.
    init(_ beginning: Snapshot) {
        snapshot = beginning
    }

    /// Adds a record that was there before the first event.
    mutating func insert(_ version: RecordVersion, of key: HistoryKey) throws {
        guard let id = key.id, case .record(let bytes) = version.image else { return }
        let index = snapshot.tableIndex(of: String(decoding: key.entity, as: UTF8.self))
        let table = snapshot.tables[index]
        let row = table.storedRow(
            id, hash: table.hash(id), number: table.nextNumber, version: version.shape,
            bytes: bytes)
        try snapshot.tables[index].put(row, replacing: nil)
    }

    /// Applies the changes of the next event.
    ///
    /// - Parameter only: the record that counts; nil for all.
    /// - Throws: `StoreError` with `.invalidEvent` if a record of the event cannot be read.
    mutating func apply(_ event: Event, only key: HistoryKey? = nil) throws {
        do {
            for index in event.changes.indices {
                let change = event.versionedChange(at: index)
                if let key, !Self.concerns(change.change, key) { continue }
                try apply(change, of: event, partial: key != nil)
            }
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "event \(event.sequence) cannot be read (run `skyros verify`)",
                at: StoreError.Place(sequences: event.sequence...event.sequence),
                cause: error.description)
        }
        event.schemas.forEach { snapshot.schemas[$0.key] = $0.value }
    }

    /// Whether a change is of a record, or of all records of its entity.
    private static func concerns(_ change: Change, _ key: HistoryKey) -> Bool {
        guard change.entity.utf8.elementsEqual(key.entity) else { return false }
        return change.id == nil || change.id == key.id
    }

    /// - Parameter isPartial: whether the state has one record only.
    private mutating func apply(
        _ versioned: VersionedChange, of event: Event, partial isPartial: Bool
    ) throws {
        let change = versioned.change
        let index = snapshot.tableIndex(of: change.entity)
        // What comes back may contradict the type of today.
        snapshot.tables[index].areFieldsCompared = false
        func note(_ kind: OccurredSnapshot.Misfit.Kind) {
            misfits.append(
                OccurredSnapshot.Misfit(
                    kind: kind, sequence: event.sequence, occurredAt: event.happenedAt,
                    entity: change.entity, id: change.id))
        }
        guard let id = change.id else {
            if case .cleared(_, let count) = change, !isPartial,
                count != snapshot.tables[index].count
            {
                note(.differs)
            }
            return snapshot.tables[index].clear()
        }
        let old = snapshot.tables[index].row(id)
        var bytes: [UInt8]
        switch (change, old) {
        case (.inserted(let record), _):
            if old != nil { note(.exists) }
            bytes = record.fields.bytes
        case (.updated(_, _, let before, let after), let row?):
            let fitting = try Fields.applying(
                before: before.bytes, after: after.bytes, to: row.bytes)
            if fitting == nil { note(.differs) }
            bytes = try fitting ?? Self.applying(before, after, to: row.bytes)
        case (.deleted(let record), let row?):
            if row.bytes != record.fields.bytes { note(.differs) }
            try snapshot.tables[index].remove(row)
            return
        default: return note(.missing)
        }
        let table = snapshot.tables[index]
        let row = table.storedRow(
            id, hash: table.hash(id), number: old?.number ?? table.nextNumber,
            version: versioned.version, bytes: bytes)
        try snapshot.tables[index].put(row, replacing: old)
    }

    /// The fields of a record after a change that found others.
    private static func applying(
        _ before: Fields, _ after: Fields, to bytes: [UInt8]
    ) throws -> [UInt8] {
        var values = try Fields(trusted: bytes).values
        for name in before.names { values[name] = nil }
        for (name, value) in try after.values { values[name] = value }
        return try Fields(values).bytes
    }
}
