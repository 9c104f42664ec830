/// One record's state within a write block.
struct StagedRecord {
    let id: RecordID
    /// The row before the block; nil if there was none, or if the block cleared the table.
    let base: Row?
    /// The row now; nil if there is none.
    var row: Row?
}

/// The result of looking up an id in a write block.
struct Lookup {
    let id: RecordID
    let hash: UInt64
    /// The position among the records that the block has changed; nil if it has not changed it.
    let position: Int?
    /// The row before the block; nil if there was none, or if the block cleared the table.
    let base: Row?
    /// The row as the block sees it; nil if there is none.
    let row: Row?
}

/// One entity's state within a write block.
struct StagedTable {
    /// The position of the entity's table in the snapshot.
    let index: Int
    /// The number of the next new row.
    var nextNumber: UInt64
    /// Whether the block deleted all records.
    private(set) var isCleared = false
    /// The records changed since, in the order in which the block first changed them.
    private(set) var records: [StagedRecord] = []
    /// The positions of the records by id, once there are more than `scannedMax`.
    private var positions: [RecordID: Int] = [:]

    /// Up to this number of records a scan is faster than a dictionary.
    private static let scannedMax = 8

    /// Memory for this many records is kept from one block to the next.
    private static let keptMax = 1_000

    init(index: Int, nextNumber: UInt64) {
        self.index = index
        self.nextNumber = nextNumber
    }

    /// Whether the block changed anything in it.
    var isChanged: Bool { isCleared || !records.isEmpty }

    func position(of id: RecordID) -> Int? {
        if records.count > Self.scannedMax { return positions[id] }
        for position in records.indices where records[position].id == id { return position }
        return nil
    }

    mutating func append(_ record: StagedRecord) {
        records.append(record)
        if records.count == Self.scannedMax + 1 {
            for position in records.indices { positions[records[position].id] = position }
        } else if records.count > Self.scannedMax {
            positions[record.id] = records.count - 1
        }
    }

    mutating func replace(at position: Int, _ row: Row?) {
        records[position].row = row
    }

    mutating func clear() {
        isCleared = true
        records = []
        positions = [:]
    }

    /// Replaces the deletion of all records by one deletion for each.
    ///
    /// - Parameters:
    ///   - rows: all rows before the block.
    ///   - numbered: a row like the given one, with the number of the row that it replaces.
    mutating func listDeletions(of rows: [Row], _ numbered: (Row, UInt64) -> Row) {
        let kept = records
        var left = Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0.row) })
        isCleared = false
        records = []
        positions = [:]
        records.reserveCapacity(rows.count)
        for base in rows {
            let row = left.removeValue(forKey: base.id) ?? nil
            append(
                StagedRecord(id: base.id, base: base, row: row.map { numbered($0, base.number) }))
        }
        for record in kept where left[record.id] != nil { append(record) }
    }

    /// Empties the table for the next block.
    mutating func reset() {
        isCleared = false
        positions = [:]
        if records.count <= Self.keptMax {
            records.removeAll(keepingCapacity: true)
        } else {
            records = []
        }
    }
}
