/// What a write block has done so far: a small overlay over the snapshot that it started from.
///
/// The overlay is thrown away if the block throws, so a failed block leaves no trace. It keeps
/// the net effect per record; what was inserted and deleted again never happened.
///
/// Used by one thread at a time, for the length of one block.
final class Staging {
    /// One record's state within the block.
    struct Record {
        /// The row before the block; nil if there was none, or if it was cleared.
        let base: Row?
        /// The row now; nil if there is none.
        var row: Row?
        /// The fields of `row`.
        var encoded: [UInt8]?
    }

    /// One entity's state within the block.
    struct Table {
        let entity: String
        let base: Skyros.Table
        var nextNumber: UInt64
        /// Whether the block deleted all records.
        var isCleared = false
        var records: [RecordID: Record] = [:]
        /// The records in the order in which they were first touched.
        var order: [RecordID] = []
    }

    let base: Snapshot
    private(set) var tables: [Table] = []
    /// How many steps the block has made; tells whether `fork` is up to date.
    private var stepCount = 0
    private var fork: (snapshot: Snapshot, stepCount: Int)?

    init(on base: Snapshot) {
        self.base = base
    }

    /// The place of the overlay for `entity`.
    func index(of entity: String) throws -> Int {
        if let index = tables.firstIndex(where: { $0.entity == entity }) { return index }
        guard let table = base.table(entity) else {
            throw StoreError(
                .unknownEntity,
                "the store was opened without the entity \(entity); "
                    + "name its type when opening the store",
                at: StoreError.Place(entity: entity))
        }
        tables.append(Table(entity: entity, base: table, nextNumber: table.nextNumber))
        return tables.count - 1
    }

    /// The row with this id as the block sees it.
    func row(_ id: RecordID, in index: Int) -> Row? {
        if let staged = tables[index].records[id] { return staged.row }
        return tables[index].isCleared ? nil : tables[index].base.row(id)
    }

    /// The number and the hash for a row of this id: the ones it has, or new ones.
    func place(_ id: RecordID, replacing old: Row?, in index: Int) -> (UInt64, UInt64) {
        if let old { return (old.number, old.hash) }
        defer { tables[index].nextNumber += 1 }
        return (tables[index].nextNumber, tables[index].base.hash(id))
    }

    /// Stages `row`, with these fields, or the deletion of the record if it is nil.
    func set(_ id: RecordID, to row: Row?, encoded: [UInt8]?, in index: Int) {
        stepCount += 1
        if tables[index].records[id] != nil {
            tables[index].records[id]?.row = row
            tables[index].records[id]?.encoded = encoded
            return
        }
        let base = tables[index].isCleared ? nil : tables[index].base.row(id)
        tables[index].records[id] = Record(base: base, row: row, encoded: encoded)
        tables[index].order.append(id)
    }

    /// Stages the deletion of all records; returns how many there were for the block.
    func clear(_ index: Int) -> Int {
        stepCount += 1
        let count = count(index)
        tables[index].isCleared = true
        tables[index].records = [:]
        tables[index].order = []
        return count
    }

    /// The number of records as the block sees it. O(records touched by the block).
    func count(_ index: Int) -> Int {
        let table = tables[index]
        let start = table.isCleared ? 0 : table.base.count
        return table.records.values.reduce(start) { count, record in
            count + (record.row == nil ? 0 : 1) - (record.base == nil ? 0 : 1)
        }
    }

    /// The state as the block sees it, for queries: the base itself while nothing is staged.
    func snapshot() throws -> Snapshot {
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
        let index = snapshot.tableIndex(of: staged.entity)
        if staged.isCleared { snapshot.tables[index].clear() }
        for id in staged.order {
            guard let record = staged.records[id] else { continue }
            let before = try record.base?.encoded()
            if let row = record.row, let after = record.encoded {
                try snapshot.tables[index].put(row, before: before, after: after)
            } else if let before {
                try snapshot.tables[index].remove(id, before: before)
            }
        }
    }
}
