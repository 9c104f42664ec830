extension DirtyRows {
    /// Every row of a snapshot, with sequence 0 because the events are not known: for a database
    /// that is only queried. O(n).
    init(allOf snapshot: Snapshot) {
        self.init()
        for (index, table) in snapshot.tables.enumerated() {
            table.rows.forEach { row in
                mark(row, of: .zero, in: table.entity, at: index)
                return true
            }
        }
    }
}
