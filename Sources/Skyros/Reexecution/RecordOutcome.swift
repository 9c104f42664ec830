/// The records that changes leave, for comparing what two executions have done.
struct RecordOutcome {
    private struct Key: Hashable {
        let entity: String
        let id: RecordID
    }

    /// The row that is left; nil of a deleted record.
    private var rows: [Key: Row?] = [:]
    /// The entities in the order in which they are first changed.
    private var order: [Key] = []

    init(of changes: [StagedChange]) {
        for change in changes {
            switch change.effect {
            case .put(let row, _): note(row, row.id, change.change.entity)
            case .remove(let row): note(nil, row.id, change.change.entity)
            case .clear(_, let old):
                guard let table = old as? Table else { continue }
                for row in table.sortedRows() { note(nil, row.id, change.change.entity) }
            }
        }
    }

    private mutating func note(_ row: Row?, _ id: RecordID, _ entity: String) {
        let key = Key(entity: entity, id: id)
        if rows.updateValue(row, forKey: key) == nil { order.append(key) }
    }

    /// The records that this outcome leaves otherwise than another one, in the order of its
    /// changes; both follow the state `before`.
    ///
    /// Records are compared in the newest shape: a step of an evolution is no difference.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func differences(
        to other: RecordOutcome, after before: Snapshot
    ) throws -> [RecordDifference] {
        let keys = order + other.order.filter { rows[$0] == nil }
        return try keys.compactMap { key in
            let former = before.table(key.entity)?.row(key.id)
            let old = rows[key] ?? former
            let new = other.rows[key] ?? former
            if old === new { return nil }
            let (recorded, now) = (
                try Self.historyRow(old, key.entity, in: before),
                try Self.historyRow(new, key.entity, in: before)
            )
            if recorded?.bytes == now?.bytes { return nil }
            return RecordDifference(
                rowBefore: recorded, rowAfter: now, entity: key.entity, id: key.id)
        }
    }

    /// A row in the newest shape.
    private static func historyRow(
        _ row: Row?, _ entity: String, in state: Snapshot
    ) throws -> HistoryRow? {
        guard let row else { return nil }
        let evolver = state.table(entity)?.evolver
        let bytes = try evolver.map { try row.bytes(evolvedBy: $0, entity) } ?? row.bytes
        return HistoryRow(
            entity: entity, id: row.id, bytes: bytes,
            version: max(row.version, evolver?.version ?? row.version))
    }
}
