extension DirtyRows {
    /// Every row of a snapshot, for writing it where nothing is yet. O(n).
    init(allOf snapshot: Snapshot) {
        self.init()
        for (index, table) in snapshot.tables.enumerated() {
            table.rows.forEach { row in
                mark(row, in: table.entity, at: index)
                return true
            }
        }
    }
}
