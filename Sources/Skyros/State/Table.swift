/// All records of one entity at one moment: rows by id, and its indexes. O(1) to copy.
struct Table: Sendable {
    let entity: String
    /// The type that declares the indexes; nil in tools, which know no types.
    let type: (any Entity.Type)?
    /// The seed of the row hashes; the same in all tables of a store.
    let hashSeed: UInt64
    private(set) var rows = RowMap()
    private(set) var indexes: [TableIndex]
    /// The number of the next new row.
    private(set) var nextNumber: UInt64 = 1

    /// A table without records, of an entity that no schema names.
    init(entity: String, hashSeed: UInt64) {
        self.entity = entity
        self.hashSeed = hashSeed
        type = nil
        indexes = []
    }

    /// A table without records.
    init(_ definition: Schema.EntityDefinition, hashSeed: UInt64) {
        entity = definition.name
        self.hashSeed = hashSeed
        type = definition.type
        indexes = definition.indexes.map { TableIndex($0) }
    }

    var count: Int { rows.count }

    /// The row with this id. O(log n).
    func row(_ id: RecordID) -> Row? {
        rows.find(id: id, hash: hash(id))
    }

    func hash(_ id: RecordID) -> UInt64 {
        id.bytes.hash(seed: hashSeed)
    }

    /// Adds a row whose id is not in the table, or replaces the one that is.
    ///
    /// - Parameters:
    ///   - before: the record that is replaced; nil if there is none.
    ///   - after: the record of the new row.
    mutating func put(_ row: Row, before: [UInt8]?, after: [UInt8]) throws {
        for index in indexes.indices {
            try indexes[index].update(row: row, before: before, after: after)
        }
        rows.insert(row)
        nextNumber = max(nextNumber, row.number + 1)
    }

    /// Removes the row with this id, whose record is `before`.
    mutating func remove(_ id: RecordID, before: [UInt8]) throws {
        for index in indexes.indices {
            try indexes[index].remove(id, before: before)
        }
        rows.remove(id: id, hash: hash(id))
    }

    /// Removes all rows; their numbers are not given again.
    mutating func clear() {
        rows = RowMap()
        indexes = indexes.map { TableIndex($0.definition) }
    }

    /// Takes the number of the next new row.
    mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// All rows in the order of their ids. O(n log n).
    func sortedRows() -> [Row] {
        var all: [Row] = []
        all.reserveCapacity(rows.count)
        rows.forEach { row in
            all.append(row)
            return true
        }
        all.sort { $0.id < $1.id }
        return all
    }
}

/// One index of a table.
struct TableIndex: Sendable {
    let definition: IndexDefinition
    private(set) var tree = KeyTree()
    /// How many records stand in the index that today's type could not have written.
    private var unexpectedCount = 0

    /// Whether the keys say of all records what today's type reads.
    var isFaithful: Bool { unexpectedCount == 0 }

    init(_ definition: IndexDefinition) {
        self.definition = definition
    }

    /// Notes that `row` has taken the place of the record `before`, if there was one.
    mutating func update(row: Row, before: [UInt8]?, after: [UInt8]) throws {
        let key = try definition.key(of: after)
        if let before {
            let old = try definition.key(of: before)
            if old == key {
                tree.insert(key: key, row: row)
                return
            }
            remove(row.id, under: old)
        }
        tree.insert(key: key, row: row)
        if !definition.isExpected(key) { unexpectedCount += 1 }
    }

    mutating func remove(_ id: RecordID, before: [UInt8]) throws {
        remove(id, under: try definition.key(of: before))
    }

    private mutating func remove(_ id: RecordID, under key: ByteString) {
        tree.remove(key: key, id: id)
        if !definition.isExpected(key) { unexpectedCount -= 1 }
    }

    /// The rows that stand under `key`, in the order of their ids. O(log n + rows found).
    func rows(of key: ByteString) -> [Row] {
        var found: [Row] = []
        let bound = KeyTree.Bound(key: key, isInclusive: true)
        tree.scan(from: bound, to: bound) { _, row in
            found.append(row)
            return true
        }
        return found
    }
}
