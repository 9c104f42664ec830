extension DirtyRows {
    /// Bounds the marks during a fold: drops those that newer ones replace, and those of deleted
    /// rows that no checkpoint holds, from each table with many more marks than rows.
    ///
    /// - Parameters:
    ///   - isFromEmpty: whether the fold began with the empty state, and no checkpoint has rows.
    ///   - surplusMax: the marks beyond two for each row that are not worth the time.
    mutating func compact(in snapshot: Snapshot, isFromEmpty: Bool, surplusMax: Int = 1_000_000) {
        for (index, table) in zip(tables.indices, snapshot.tables) {
            guard let rows = tables[index], rows.count > 2 * table.count + surplusMax else {
                continue
            }
            let mayBeDeleted = !isFromEmpty && !rows.isCleared
            compactTable(at: index) { mark in
                mayBeDeleted || table.rows.find(number: mark.number, hash: mark.hash) != nil
            }
        }
    }

    /// The number of events of a fold after which marks are compacted.
    static let compactionEvents: UInt64 = 1 << 16
}
