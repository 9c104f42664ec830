/// What a write block has done so far: a small overlay over the snapshot that it started from.
///
/// The overlay is thrown away if the block throws, so a failed block leaves no trace. It keeps
/// the net effect per record; what was inserted and deleted again never happened.
///
/// Used by one thread at a time. Between blocks it is empty and keeps its memory.
struct WriteOverlay: ~Copyable {
    /// One record's state within the block.
    struct Record {
        let id: RecordID
        /// The row before the block; nil if there was none, or if it was cleared.
        let base: Row?
        /// The row now; nil if there is none.
        var row: Row?
        /// The fields of `row`.
        var encoded: [UInt8]?
    }

    /// What the block finds under an id.
    struct Place {
        let id: RecordID
        let hash: UInt64
        /// Where the record is among those that the block has touched; nil if it is not.
        fileprivate let position: Int?
        /// The row before the block; nil if there was none, or if it was cleared.
        fileprivate let base: Row?
        /// The row as the block sees it; nil if there is none.
        let row: Row?
    }

    /// One entity's state within the block.
    struct Table {
        /// The place of the entity's table in the snapshot.
        let index: Int
        fileprivate(set) var nextNumber: UInt64
        /// Whether the block deleted all records.
        fileprivate(set) var isCleared = false
        /// The records touched since, in the order in which they were first touched.
        fileprivate(set) var records: [Record] = []
        /// The places of the records, once there are many of them.
        fileprivate var positions: [RecordID: Int] = [:]

        /// Up to here a look at each record is faster than a dictionary.
        private static let searchedMax = 8

        fileprivate init(index: Int, nextNumber: UInt64) {
            self.index = index
            self.nextNumber = nextNumber
        }

        /// Whether there is anything in it.
        var isTouched: Bool { isCleared || !records.isEmpty }

        func position(of id: RecordID) -> Int? {
            if records.count > Self.searchedMax { return positions[id] }
            for position in records.indices where records[position].id == id { return position }
            return nil
        }

        fileprivate mutating func append(_ record: Record) {
            records.append(record)
            if records.count == Self.searchedMax + 1 {
                for position in records.indices { positions[records[position].id] = position }
            } else if records.count > Self.searchedMax {
                positions[record.id] = records.count - 1
            }
        }

        fileprivate mutating func clear() {
            isCleared = true
            records = []
            positions = [:]
        }

        /// Makes the table ready for the next block.
        fileprivate mutating func reset() {
            isCleared = false
            positions = [:]
            if records.count <= Self.keptMax {
                records.removeAll(keepingCapacity: true)
            } else {
                records = []
            }
        }

        /// Memory for so many records is kept from one block to the next.
        private static let keptMax = 1_000
    }

    /// The state that the block started from.
    private(set) var base: Snapshot
    private(set) var tables: [Table] = []
    /// How many steps the block has made; tells whether `fork` is up to date.
    private var stepCount = 0
    private var fork: (snapshot: Snapshot, stepCount: Int)?

    init(on base: Snapshot) {
        self.base = base
    }

    /// Makes the staging ready for a block that starts from `base`.
    mutating func begin(on base: Snapshot) {
        self.base = base
        for index in tables.indices {
            tables[index].nextNumber = base.tables[tables[index].index].nextNumber
        }
    }

    /// Forgets everything, up to its memory.
    ///
    /// - Parameter empty: a snapshot that is held anyway, so that none is kept alive.
    mutating func end(on empty: Snapshot) {
        base = empty
        for index in tables.indices { tables[index].reset() }
        stepCount = 0
        fork = nil
    }

    /// The place of the overlay for an entity.
    mutating func index<E: Entity>(of type: E.Type) throws -> Int {
        guard let base = base.tableIndex(of: type) else {
            throw StoreError(
                .unknownEntity,
                "the store was opened without the entity \(E.entityName); "
                    + "name its type when opening the store",
                at: StoreError.Place(entity: E.entityName))
        }
        return index(ofBase: base)
    }

    private mutating func index(ofBase base: Int) -> Int {
        for index in tables.indices where tables[index].index == base { return index }
        tables.append(Table(index: base, nextNumber: self.base.tables[base].nextNumber))
        return tables.count - 1
    }

    /// What is under an id, as the block sees it.
    func find(_ id: RecordID, in index: Int) -> Place {
        let baseIndex = tables[index].index
        let hash = base.tables[baseIndex].hash(id)
        if let position = tables[index].position(of: id) {
            let record = tables[index].records[position]
            return Place(
                id: id, hash: hash, position: position, base: record.base, row: record.row)
        }
        let row =
            tables[index].isCleared ? nil : base.tables[baseIndex].rows.find(id: id, hash: hash)
        return Place(id: id, hash: hash, position: nil, base: row, row: row)
    }

    /// The number for a row at this place: the one it has, or a new one.
    ///
    /// A record that the block deletes and inserts again keeps its number: for the log and the
    /// checkpoint it is one record that changes.
    mutating func number(for place: Place, in index: Int) -> UInt64 {
        if let row = place.row ?? place.base { return row.number }
        defer { tables[index].nextNumber += 1 }
        return tables[index].nextNumber
    }

    /// Stages `row`, with these fields, or the deletion of the record if it is nil.
    ///
    /// - Parameter place: what `find` gave, with nothing staged since.
    mutating func set(_ place: Place, to row: Row?, encoded: [UInt8]?, in index: Int) {
        stepCount += 1
        if let position = place.position {
            tables[index].records[position].row = row
            tables[index].records[position].encoded = encoded
        } else {
            tables[index].append(
                Record(id: place.id, base: place.base, row: row, encoded: encoded))
        }
    }

    /// Stages the deletion of all records; returns how many there were for the block.
    mutating func clear(_ index: Int) -> Int {
        stepCount += 1
        let count = count(index)
        tables[index].clear()
        return count
    }

    /// The number of records as the block sees it. O(records touched by the block).
    func count(_ index: Int) -> Int {
        let table = tables[index]
        let start = table.isCleared ? 0 : base.tables[table.index].count
        return table.records.reduce(start) { count, record in
            count + (record.row == nil ? 0 : 1) - (record.base == nil ? 0 : 1)
        }
    }

    /// The state as the block sees it, for queries: the base itself while nothing is staged.
    mutating func snapshot() throws -> Snapshot {
        if stepCount == 0 { return base }
        if let fork, fork.stepCount == stepCount { return fork.snapshot }
        var snapshot = base
        for table in tables {
            try apply(table, to: &snapshot)
        }
        fork = (snapshot, stepCount)
        return snapshot
    }

    private func apply(_ staged: Table, to snapshot: inout Snapshot) throws {
        if staged.isCleared { snapshot.tables[staged.index].clear() }
        for record in staged.records {
            let before = try record.base?.encoded()
            if let row = record.row, let after = record.encoded {
                try snapshot.tables[staged.index].put(row, before: before, after: after)
            } else if let before {
                try snapshot.tables[staged.index].remove(record.id, before: before)
            }
        }
    }
}
