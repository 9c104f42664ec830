extension TouchedRows {
    /// Every row of a snapshot, for writing it where nothing is yet. O(n).
    init(allOf snapshot: Snapshot) {
        self.init()
        for table in snapshot.tables {
            table.rows.forEach { row in
                note(table.entity, row)
                return true
            }
        }
    }
}
