/// A record that differs between two states.
public struct RecordDifference: Hashable, Sendable {
    let rowBefore: HistoryRow?
    let rowAfter: HistoryRow?

    /// The record's entity.
    public let entity: String
    /// The record's id.
    public let id: RecordID

    /// Whether the record was inserted, updated or deleted on the way from one state to the other.
    public var kind: ChangeKind {
        rowBefore == nil ? .inserted : rowAfter == nil ? .deleted : .updated
    }

    /// The record in the first state, as it was stored; nil if there is none.
    public var recordBefore: Record? { rowBefore?.record }

    /// The record in the second state, as it was stored; nil if there is none.
    public var recordAfter: Record? { rowAfter?.record }

    /// The record in the first state, in today's shape; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.notDecodable`, `.evolutionFailed`.
    public func before<E: Entity>(as type: E.Type) throws -> E? {
        try rowBefore?.value(as: type)
    }

    /// The record in the second state, in today's shape; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.notDecodable`, `.evolutionFailed`.
    public func after<E: Entity>(as type: E.Type) throws -> E? {
        try rowAfter?.value(as: type)
    }

    /// The fields that differ, in canonical order: all of an inserted or deleted record.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if a record is not what the library writes.
    public var changes: [FieldChange] {
        get throws { try HistoryRow.changes(from: rowBefore, to: rowAfter) }
    }
}

extension Snapshot {
    /// The records that differ between this state and another one, by entity and id.
    ///
    ///     let yesterday = try store.snapshot(asOf: .date(yesterday))
    ///     for difference in store.snapshot.differences(from: yesterday) {
    ///         print(difference.kind, difference.entity, difference.id)
    ///     }
    ///
    /// The other state may be of another store, too. A record that was changed and changed back
    /// does not differ, and stored facts are compared: a type's evolution changes none.
    ///
    /// - Parameters:
    ///   - other: the other state.
    ///   - entity: nil for the records of all entities.
    /// - Complexity: O(d log d) for d differences if one state was made from the other, as a recent
    ///   state of the past is; otherwise O(n log n).
    public func differences(
        from other: Snapshot, in entity: String? = nil
    ) -> [RecordDifference] {
        let added = other.tables.map(\.entity).filter { table($0) == nil }
        var names = tables.map(\.entity) + added
        if let entity { names = names.filter { $0.isSameName(as: entity) } }
        return names.sortedNames().flatMap {
            differences(of: $0, from: other).sorted { $0.id < $1.id }
        }
    }

    private func differences(of entity: String, from other: Snapshot) -> [RecordDifference] {
        let (old, new) = (other.table(entity), table(entity))
        var list: [RecordDifference] = []
        func add(_ before: Row?, _ after: Row?) {
            guard let id = before?.id ?? after?.id else { return }
            if let before, let after, before.isSameRecord(as: after) { return }
            list.append(
                RecordDifference(
                    rowBefore: before.map { HistoryRow($0, of: entity) },
                    rowAfter: after.map { HistoryRow($0, of: entity) }, entity: entity, id: id))
        }
        if hashSeed == other.hashSeed {
            let (oldRows, newRows) = (old?.rows ?? RowTrie(), new?.rows ?? RowTrie())
            oldRows.forEachDifference(to: newRows) { before, after in
                add(before, after)
                return true
            }
            return list
        }
        // Tries under different seeds have their rows at different places.
        old?.rows.forEach { row in
            add(row, new?.row(row.id))
            return true
        }
        new?.rows.forEach { row in
            if old?.row(row.id) == nil { add(nil, row) }
            return true
        }
        return list
    }
}

extension HistoryRow {
    init(_ row: Row, of entity: String) {
        self.init(entity: entity, id: row.id, bytes: row.bytes, version: row.version)
    }
}
