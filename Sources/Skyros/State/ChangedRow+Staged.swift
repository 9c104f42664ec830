extension [StagedChange] {
    /// The rows of a table that the changes concern, in their order. Deleting all records of an
    /// entity changes each of them, in the order of their ids.
    func changedRows(inTableAt table: Int) -> [ChangedRow] {
        var rows: [ChangedRow] = []
        for change in self where change.table == table {
            switch change.effect {
            case .put(let row, let old): rows.append(ChangedRow(row, replacing: old))
            case .remove(let row): rows.append(ChangedRow(removed: row))
            case .clear(_, let old):
                let removed = (old as? Table)?.sortedRows() ?? []
                rows += removed.map { ChangedRow(removed: $0) }
            }
        }
        return rows
    }
}
