/// The records that changes leave, for comparing what two executions have done.
struct RecordOutcome {
    private struct Key: Hashable {
        /// UTF-8: names are compared by their bytes.
        let entity: [UInt8]
        let id: RecordID
    }

    private struct Entry {
        let entity: String
        let id: RecordID
        /// The row that is left; nil of a deleted record.
        var row: Row?
    }

    private var entries: [Key: Entry] = [:]
    /// The records in the order in which they are first changed.
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
        let key = Key(entity: Array(entity.utf8), id: id)
        let entry = Entry(entity: entity, id: id, row: row)
        if entries.updateValue(entry, forKey: key) == nil { order.append(key) }
    }

    /// The records that this outcome leaves in another way than a second one, in the order of its
    /// changes; both follow the state `before`.
    ///
    /// Records are compared as today's type would write them: neither a step of an evolution nor a
    /// property that the type adds is a difference.
    func differences(to other: RecordOutcome, after before: Snapshot) -> [RecordDifference] {
        let keys = order + other.order.filter { entries[$0] == nil }
        return keys.compactMap { key in
            guard let entry = entries[key] ?? other.entries[key] else { return nil }
            let former = before.table(entry.entity)?.row(entry.id)
            let old = entries[key].map(\.row) ?? former
            let new = other.entries[key].map(\.row) ?? former
            return before.recordDifference(of: entry.entity, entry.id, from: old, to: new)
        }
    }
}

extension Snapshot {
    /// The difference between two versions of a record, as today's type would write them; nil if
    /// they are the same then.
    func recordDifference(
        of entity: String, _ id: RecordID, from old: Row?, to new: Row?
    ) -> RecordDifference? {
        guard let difference = difference(of: entity, id, from: old, to: new) else { return nil }
        let newest = table(entity)?.newestEvolver?.version ?? Evolver.firstVersion
        func historyRow(_ bytes: [UInt8]?, _ row: Row?) -> HistoryRow? {
            guard let bytes, let row else { return nil }
            return HistoryRow(
                entity: entity, id: id, bytes: bytes, version: Swift.max(row.version, newest))
        }
        return RecordDifference(
            rowBefore: historyRow(difference.before, old),
            rowAfter: historyRow(difference.after, new), entity: entity, id: id)
    }
}
