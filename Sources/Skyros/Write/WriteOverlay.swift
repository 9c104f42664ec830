/// The staged changes of a write block: an overlay over the snapshot that it started from.
///
/// The overlay is dropped if the block throws, so a failed block changes nothing. It holds the net
/// effect per record: a record that is inserted and deleted again is no change.
///
/// Used by one thread at a time. Between blocks it is empty and keeps its memory.
struct WriteOverlay: ~Copyable {
    /// The state that the block started from.
    private(set) var base: Snapshot
    /// The number of tables before the block. Those that follow in `base` are the block's.
    private(set) var knownTableCount: Int
    private(set) var tables: [StagedTable] = []
    /// The number of the current or last block.
    private(set) var block: UInt64 = 0
    /// Whether that block has not ended.
    private(set) var isRunning = false
    /// The number of changes that the block has staged; `cached` is valid if it has the same.
    private var stepCount = 0
    private var cached: (snapshot: Snapshot, stepCount: Int)?
    /// Records what the block reads of the base; nil for a block that runs alone.
    let reads: ReadSet?
    /// What the block takes from outside the store.
    var inputs: BlockInputs

    init(on base: Snapshot, _ inputs: BlockInputs, recording reads: ReadSet? = nil) {
        self.base = base
        self.inputs = inputs
        knownTableCount = base.tables.count
        self.reads = reads
    }

    /// Prepares the overlay for a block that starts from `base`.
    mutating func begin(on base: consuming Snapshot) {
        knownTableCount = base.tables.count
        self.base = base
        block += 1
        isRunning = true
        for index in tables.indices {
            tables[index].nextNumber = self.base.tables[tables[index].index].nextNumber
        }
    }

    /// Drops all staged changes and keeps the memory.
    ///
    /// - Parameter empty: a snapshot without records, so that the overlay keeps no state alive.
    mutating func end(on empty: Snapshot) {
        isRunning = false
        // The tables of types come first in every state; those of other entities may move.
        tables.removeAll { base.tables[$0.index].type == nil }
        base = empty
        inputs.reset()
        for index in tables.indices { tables[index].reset() }
        stepCount = 0
        cached = nil
    }

    /// The time of the event that the block becomes.
    var time: EventTime {
        mutating get { inputs.time(after: base.time) }
    }

    /// The position of an entity's table in the overlay.
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened without the type.
    mutating func index<E: Entity>(of type: E.Type) throws -> Int {
        guard let base = try base.tableIndex(of: type) else {
            throw StoreError.unknownEntity(E.entityName, adding: "\(type).self")
        }
        return index(ofBase: base)
    }

    /// The position of the table at `base` of the snapshot in the overlay.
    mutating func index(ofBase base: Int) -> Int {
        for index in tables.indices where tables[index].index == base { return index }
        tables.append(StagedTable(index: base, nextNumber: self.base.tables[base].nextNumber))
        return tables.count - 1
    }

    /// The position of the table of a new entity, which the block adds.
    mutating func addTable(of entity: String) -> Int {
        // In a concurrent block, any event meanwhile may have added it.
        reads?.noteState()
        return index(ofBase: base.tableIndex(of: entity))
    }

    /// The record of a value, which is compared with its id and with the indexes of its entity.
    ///
    /// - Throws: `StoreError` with `.notEncodable`, also if the record is read back with another
    ///   id; `.invalidSchema` if an index reads another field than its key path.
    func encode<E: Entity>(_ value: E, id: RecordID, in index: Int) throws -> [UInt8] {
        let record = try RecordCoding.encode(value)
        try checkIdentity(of: E.self, record, id, in: index)
        try compareFields(of: value, record, id, in: index)
        try EncodingCheck.compare(value, with: record, id)
        return record
    }

    private func checkIdentity<E: Entity>(
        of type: E.Type, _ record: [UInt8], _ id: RecordID, in index: Int
    ) throws {
        let table = tables[index].index
        // Another type may write records by the entity's name.
        guard let identity = base.tables[table].identity, base.tables[table].type == type else {
            return try IdentityCheck.decode(record, as: type, id)
        }
        try identity.check(record, as: type, id)
    }

    private func compareFields<E: Entity>(
        of value: E, _ record: [UInt8], _ id: RecordID, in index: Int
    ) throws {
        let table = tables[index].index
        for index in base.tables[table].indexes.indices {
            guard let binding = base.tables[table].indexes[index].definition.binding,
                binding.isOpen
            else { continue }
            try binding.compare(written: value, record, id)
        }
    }

    /// Looks up an id, as the block sees it.
    func lookUp(_ id: RecordID, in index: Int) -> Lookup {
        let baseIndex = tables[index].index
        let hash = base.tables[baseIndex].hash(id)
        if let position = tables[index].position(of: id) {
            let record = tables[index].records[position]
            return Lookup(
                id: id, hash: hash, position: position, base: record.base, row: record.row)
        }
        if tables[index].isCleared {
            return Lookup(id: id, hash: hash, position: nil, base: nil, row: nil)
        }
        reads?.note(id, inTableAt: baseIndex)
        let row = base.tables[baseIndex].rows.find(id: id, hash: hash)
        return Lookup(id: id, hash: hash, position: nil, base: row, row: row)
    }

    /// The number for a row with the id that was looked up: its present number, or a new one.
    ///
    /// A record that the block deletes and inserts again keeps its number: for the log and the
    /// checkpoint it is one record that changes.
    private mutating func number(for lookup: Lookup, in index: Int) -> UInt64 {
        if let row = lookup.row ?? lookup.base { return row.number }
        defer { tables[index].nextNumber += 1 }
        return tables[index].nextNumber
    }

    /// Stages `bytes` as the record that was looked up.
    ///
    /// - Parameters:
    ///   - lookup: what `lookUp` returned, with nothing staged since.
    ///   - version: the version of the record's shape.
    mutating func put(_ bytes: [UInt8], at lookup: Lookup, version: Int, in index: Int) {
        let number = number(for: lookup, in: index)
        let factory = base.tables[tables[index].index].rowFactory
        let row = factory.row(
            lookup.id, hash: lookup.hash, number: number, version: version, bytes: bytes)
        set(lookup, to: row, in: index)
    }

    /// Stages the deletion of the record that was looked up.
    ///
    /// - Parameter lookup: what `lookUp` returned, with nothing staged since.
    mutating func remove(_ lookup: Lookup, in index: Int) {
        set(lookup, to: nil, in: index)
    }

    private mutating func set(_ lookup: Lookup, to row: Row?, in index: Int) {
        stepCount += 1
        if let position = lookup.position {
            tables[index].replace(at: position, row)
        } else {
            tables[index].append(StagedRecord(id: lookup.id, base: lookup.base, row: row))
        }
    }

    /// Stages the deletion of all records; returns how many there were for the block.
    mutating func clear(_ index: Int) -> Int {
        stepCount += 1
        let table = tables[index].index
        reads?.noteAll(inTableAt: table)
        let count = count(index)
        tables[index].clear()
        return count
    }

    /// Replaces the deletion of all records of a table by one for each. O(n log n).
    mutating func listDeletions(at index: Int) {
        let table = base.tables[tables[index].index]
        tables[index].listDeletions(of: table.sortedRows()) { row, number in
            table.storedRow(
                row.id, hash: row.hash, number: number, version: row.version, bytes: row.bytes)
        }
    }

    /// The number of records as the block sees it. O(records that the block changed).
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
        if let cached, cached.stepCount == stepCount { return cached.snapshot }
        var snapshot = base
        snapshot.projections = nil
        for table in tables {
            try apply(table, to: &snapshot)
        }
        cached = (snapshot, stepCount)
        return snapshot
    }

    private func apply(_ staged: StagedTable, to snapshot: inout Snapshot) throws {
        if staged.isCleared { snapshot.tables[staged.index].clear() }
        for record in staged.records {
            if let row = record.row {
                try snapshot.tables[staged.index].put(row, replacing: record.base)
            } else if let base = record.base {
                try snapshot.tables[staged.index].remove(base)
            }
        }
    }
}
