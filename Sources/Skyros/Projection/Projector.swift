import SkyrosLog

/// The one fold: event after event, it turns the state before into the state after.
///
/// The same code builds the view while it is written, when the store is opened, on replay, as of
/// a moment in the past, and in the command-line tool; so what was seen then is what is seen
/// now. It runs no user code and knows no time and no chance.
struct Projector {
    /// Applies `event` to `snapshot`, which must be the state just before it.
    ///
    /// - Parameter check: the chain hash through the event.
    /// - Throws: as `apply(_:prepared:as:to:marking:)`.
    static func apply(
        _ event: Event, chainHash: ChainHash, to snapshot: inout Snapshot,
        marking dirty: inout DirtyRows
    ) throws {
        let stamp = EventStamp(sequence: event.sequence, time: event.time, chainHash: chainHash)
        try apply(event.changes, prepared: [], as: stamp, to: &snapshot, marking: &dirty)
    }

    /// Applies an event's changes to `snapshot`, which must be the state just before it.
    ///
    /// - Parameters:
    ///   - prepared: what the write block already made for each change; empty on replay.
    ///   - stamp: where the event stands.
    ///   - dirty: notes which rows changed, for the checkpoint.
    /// - Throws: `StoreError` with `.invalidEvent` if the event does not fit the state: then the
    ///   log was not written by this library. The snapshot is of no use afterwards.
    static func apply(
        _ changes: [Change], prepared: [StagedChange?], as stamp: EventStamp,
        to snapshot: inout Snapshot, marking dirty: inout DirtyRows
    ) throws {
        let event = stamp.sequence
        guard event == snapshot.sequence.next else {
            throw invalid(event, "it cannot follow event \(snapshot.sequence)")
        }
        do {
            for (position, change) in changes.enumerated() {
                let memo = prepared.isEmpty ? nil : prepared[position]
                try apply(change, of: event, memo, to: &snapshot, &dirty)
            }
        } catch let error as CBORError {
            throw invalid(event, error.description)
        }
        snapshot.sequence = stamp.sequence
        snapshot.time = stamp.time
        snapshot.chainHash = stamp.chainHash
    }

    private static func apply(
        _ change: Change, of event: SequenceNumber, _ memo: StagedChange?,
        to snapshot: inout Snapshot, _ dirty: inout DirtyRows
    ) throws {
        let index = snapshot.tableIndex(of: change.entity)
        switch change {
        case .inserted(let record):
            let row = try insert(record, event, memo, into: &snapshot.tables[index])
            dirty.mark(row, in: record.entity, at: index)
        case .updated(let entity, let id, let before, let after):
            let row =
                try replace(by: memo, in: &snapshot.tables[index])
                ?? update(id, before, after, event, in: &snapshot.tables[index])
            dirty.mark(row, in: entity, at: index)
        case .deleted(let record):
            // The record as it is, not as the event says it was: by the keys of the former the
            // indexes refer to the row.
            let before = try memo?.before ?? snapshot.tables[index].row(record.id)?.encoded()
            guard let before,
                let removed = try snapshot.tables[index].remove(record.id, before: before)
            else {
                throw invalid(event, "it deletes \(describe(change)), which is not there")
            }
            dirty.mark(removed, in: record.entity, at: index)
        case .cleared(let entity, let count):
            guard snapshot.tables[index].count == count else {
                throw invalid(event, "it clears \(count) records of \(entity), there are others")
            }
            snapshot.tables[index].clear()
            dirty.markCleared(entity, at: index)
        }
    }

    private static func insert(
        _ record: Record, _ event: SequenceNumber, _ memo: StagedChange?, into table: inout Table
    ) throws -> Row {
        let row =
            memo?.row
            ?? table.storedRow(
                record.id, hash: table.hash(record.id), number: table.takeNumber(),
                bytes: record.fields.bytes)
        guard try table.put(row, before: nil, after: record.fields.bytes) == nil else {
            throw invalid(event, "it inserts \(record.entity) \(record.id), which is there already")
        }
        return row
    }

    private static func replace(by memo: StagedChange?, in table: inout Table) throws -> Row? {
        guard let memo, let row = memo.row, let record = memo.after else { return nil }
        try table.put(row, before: memo.before, after: record)
        return row
    }

    private static func update(
        _ id: RecordID, _ before: Fields, _ after: Fields, _ event: SequenceNumber,
        in table: inout Table
    ) throws -> Row {
        guard let old = table.row(id) else {
            throw invalid(event, "it updates \(table.entity) \(id), which is not there")
        }
        let oldRecord = try old.encoded()
        let newRecord = try Fields.merge(oldRecord, before: before.bytes, after: after.bytes)
        let row = table.storedRow(id, hash: old.hash, number: old.number, bytes: newRecord)
        try table.put(row, before: oldRecord, after: newRecord)
        return row
    }

    private static func describe(_ change: Change) -> String {
        "\(change.entity) \(change.id?.description ?? "")"
    }

    private static func invalid(_ event: SequenceNumber, _ why: String) -> StoreError {
        StoreError(
            .invalidEvent, "event \(event) does not fit what came before: \(why)",
            at: StoreError.Place(sequences: event...event))
    }
}
