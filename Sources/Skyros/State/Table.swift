import SkyrosDisk

/// All records of one entity after one event: rows by id, and the indexes. O(1) to copy.
struct Table: Sendable {
    let entity: String
    /// Compares the ids under which records are written and read; nil without a type.
    let identity: IdentityCheck?
    /// Makes its rows.
    let rowFactory: RowFactory
    /// The seed of the row hashes; the same in all tables of a store.
    let hashSeed: UInt64
    private(set) var rows = RowTrie()
    private(set) var indexes: [TableIndex]
    /// The rows that are stored in a shape before the type's.
    private(set) var olderRows: OlderRows
    /// The relations by which records refer to others, or others to them; nil if there are none.
    var relations: EntityRelations?
    /// What the log has recorded of an entity without a type; nil if that is nothing.
    private(set) var recorded: RecordedShape?
    /// Whether events that change its records need a reason.
    private(set) var requiresReason: Bool
    /// Whether the indexes are not maintained, see `Snapshot.fold`.
    private(set) var isFolding = false
    /// Whether rows of a checkpoint are being loaded, and their index keys collected.
    private var isLoading = false
    /// The number of the next new row.
    private(set) var nextNumber: UInt64 = 1
    /// Whether the records were compared with the key paths of the indexes: at the opening all of
    /// them, and then each that was written.
    var areFieldsCompared = false

    init(
        entity: String, type: (any Entity.Type)?, hashSeed: UInt64, indexes: [IndexDefinition],
        relations: EntityRelations? = nil, requiresReason: Bool = false
    ) {
        self.entity = entity
        self.relations = relations
        self.requiresReason = requiresReason
        identity = type == nil ? nil : IdentityCheck()
        let factory = RowFactory(for: type)
        rowFactory = factory
        olderRows = OlderRows(before: factory.evolver?.version ?? Evolver.firstVersion)
        self.hashSeed = hashSeed
        self.indexes = indexes.map { TableIndex($0) }
    }

    var count: Int { rows.count }

    /// The Swift type of the records, if the schema names one.
    var type: (any Entity.Type)? { rowFactory.type }

    /// The steps of the entity's evolution; nil without any.
    var evolver: Evolver? { rowFactory.evolver }

    var hasUniqueIndexes: Bool { indexes.contains { $0.definition.isUnique } }

    /// The row with this id. O(log n).
    func row(_ id: RecordID) -> Row? {
        rows.find(id: id, hash: hash(id))
    }

    func hash(_ id: RecordID) -> UInt64 {
        id.bytes.hash(seed: hashSeed)
    }

    /// A row for a record whose shape has this version.
    func storedRow(
        _ id: RecordID, hash: UInt64, number: UInt64, version: Int = Evolver.firstVersion,
        bytes: [UInt8]
    ) -> Row {
        rowFactory.row(id, hash: hash, number: number, version: version, bytes: bytes)
    }

    /// Adds a row, and returns the row that it replaces, if any.
    ///
    /// - Parameter old: the row that it is to replace; nil if there is none.
    @discardableResult
    mutating func put(_ row: Row, replacing old: Row?) throws -> Row? {
        if !isFolding {
            for index in indexes.indices {
                try indexes[index].update(row: row, replacing: old)
            }
        }
        nextNumber = max(nextNumber, row.number + 1)
        let replaced = rows.insert(row)
        olderRows.note(row, replacing: replaced)
        // A caller whose `old` does not fit discards the table.
        if InvariantChecks.isEnabled, replaced === old { checkInvariants(near: row.id) }
        return replaced
    }

    /// Prepares for `rowCount` rows of a checkpoint.
    ///
    /// Index keys are made as the rows arrive, while their records are in the cache: unless the
    /// fold that follows is so long that it makes all keys at its end.
    mutating func beginLoading(rowCount: Int, beforeEvents eventCount: Int) {
        guard !isFolding || eventCount < rowCount / 4 else { return }
        for index in indexes.indices { indexes[index].beginLoading(rowCount: rowCount) }
        isLoading = true
    }

    /// Adds a row of a checkpoint, and returns the row that it replaces, if any.
    mutating func load(_ row: Row) throws -> Row? {
        if isLoading, !indexes.isEmpty {
            for index in indexes.indices { try indexes[index].load(row) }
        }
        nextNumber = max(nextNumber, row.number + 1)
        let replaced = rows.insert(row)
        olderRows.note(row, replacing: replaced)
        return replaced
    }

    /// Builds the indexes of the rows that were loaded. O(n log n).
    mutating func endLoading() {
        guard isLoading else { return }
        for index in indexes.indices { indexes[index].endLoading() }
        (isLoading, isFolding) = (false, false)
        if InvariantChecks.isEnabled { checkWhole() }
    }

    /// Removes `row`, and returns the row that had its id, if any.
    @discardableResult
    mutating func remove(_ row: Row) throws -> Row? {
        if !isFolding {
            for index in indexes.indices { try indexes[index].remove(row) }
        }
        let removed = rows.remove(id: row.id, hash: row.hash)
        olderRows.note(nil, replacing: removed)
        if InvariantChecks.isEnabled, removed != nil { checkInvariants(near: row.id) }
        return removed
    }

    /// Removes all rows; their numbers are not used again.
    mutating func clear() {
        rows = RowTrie()
        olderRows.clear()
        indexes = indexes.map { TableIndex($0.definition) }
    }

    /// Stops maintaining the indexes until `endFold`.
    mutating func beginFold() {
        isFolding = true
        indexes = indexes.map { TableIndex($0.definition) }
    }

    /// Builds the indexes of all rows. O(n log n).
    ///
    /// - Throws: `StoreError` with `.invalidEvent` if a record cannot be read.
    mutating func endFold() throws {
        guard isFolding else { return }
        isFolding = false
        try buildIndexes()
    }

    /// Takes the indexes that the log has recorded. O(n log n).
    ///
    /// - Throws: as `endFold`.
    mutating func adopt(_ shape: RecordedShape) throws {
        recorded = shape
        requiresReason = shape.requiresReason
        indexes = shape.indexes.map { TableIndex($0) }
        if !isFolding { try buildIndexes() }
    }

    private mutating func buildIndexes() throws {
        do {
            for index in indexes.indices {
                indexes[index] = try TableIndex(indexes[index].definition, of: rows)
            }
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "a record of \(entity) has a field that cannot be indexed",
                at: StoreError.Place(entity: entity), cause: error.description)
        }
        if InvariantChecks.isEnabled { checkWhole() }
    }

    /// All rows in the order of their ids. O(n log n).
    func sortedRows() -> [Row] {
        rows.all().map { $0.takeUnretainedValue() }.sorted { $0.id < $1.id }
    }
}

/// One index of a table: an entry for each row, or one for each element of a list in a row.
struct TableIndex: Sendable {
    let definition: IndexDefinition
    private(set) var tree = IndexBTree()
    private var counts = IndexCounts()
    /// The keys of the rows that were loaded from a checkpoint so far, in two parts of the same
    /// size; nil if no checkpoint is being loaded.
    private var loading: (IndexBulkLoader, IndexBulkLoader)?

    /// Whether the keys of all records agree with what today's type reads.
    var isFaithful: Bool { counts.unexpected == 0 }

    /// Whether the steps of all records succeed.
    var isWhole: Bool { counts.failed == 0 }

    /// Whether the order of the keys is that of the values: otherwise the index serves equality.
    var isOrdered: Bool { counts.irregular == 0 }

    init(_ definition: IndexDefinition) {
        self.definition = definition
    }

    /// The index of all these rows. O(n log n).
    init(_ definition: IndexDefinition, of rows: RowTrie) throws {
        self.definition = definition
        let all = rows.all()
        let middle = all.count < Self.twoThreadRowsMin ? all.count : all.count / 2
        let (a, b) = try withExtendedLifetime(rows) {
            try inParallel(when: middle < all.count) {
                try Self.keys(of: all[..<middle], definition)
            } _: {
                try Self.keys(of: all[middle...], definition)
            }
        }
        counts = a.counts + b.counts
        tree = IndexBulkLoader.tree(of: a.loader, b.loader)
    }

    /// From this number of rows on, two threads make and sort the keys.
    private static let twoThreadRowsMin = 8_192

    /// The sorted keys of some rows, and the numbers of unusual ones.
    private static func keys(
        of rows: ArraySlice<Unmanaged<Row>>, _ definition: IndexDefinition
    ) throws -> (loader: IndexBulkLoader, counts: IndexCounts) {
        let loader = IndexBulkLoader(reserving: rows.count)
        var counts = IndexCounts()
        // In the order of their addresses, for the caches.
        for row in rows.sorted(by: { $0.toOpaque() < $1.toOpaque() }) {
            if definition.isMultiValued {
                try row._withUnsafeGuaranteedRef { row in
                    try add(row, definition, to: loader)
                    if !definition.canRead(row) { counts.addFailed(1) }
                }
                continue
            }
            let checked = try row._withUnsafeGuaranteedRef { row in
                try definition.checkedKey(of: row)
            }
            counts.add(checked, 1)
            loader.add(checked.key, row)
        }
        loader.sort()
        return (loader, counts)
    }

    /// Adds the keys of a row's elements to a loader.
    private static func add(
        _ row: Row, _ definition: IndexDefinition, to loader: IndexBulkLoader
    ) throws(CBORError) {
        for key in try definition.elementKeys(of: row) {
            loader.add(key, Unmanaged.passUnretained(row))
        }
    }

    mutating func beginLoading(rowCount: Int) {
        // The number comes from a file: memory for more is not reserved ahead.
        let half = min(rowCount / 2 + Self.partRows, 1 << 20)
        loading = (IndexBulkLoader(reserving: half), IndexBulkLoader(reserving: half))
    }

    /// Rows in succession whose keys go to the same part.
    private static let partRows = 4_096

    /// Collects the key of a loaded row.
    mutating func load(_ row: Row) throws(CBORError) {
        guard let loading else { return }
        let isFirst = (loading.0.count + loading.1.count) / Self.partRows % 2 == 0
        let loader = isFirst ? loading.0 : loading.1
        if definition.isMultiValued {
            count(row, 1)
            return try Self.add(row, definition, to: loader)
        }
        let checked = try definition.checkedKey(of: row)
        counts.add(checked, 1)
        loader.add(checked.key, Unmanaged.passUnretained(row))
    }

    /// Builds the tree of the keys that were collected.
    mutating func endLoading() {
        guard let (a, b) = loading else { return }
        loading = nil
        _ = inParallel(when: b.count > 0) {
            a.sort()
        } _: {
            b.sort()
        }
        tree = IndexBulkLoader.tree(of: a, b)
    }

    /// Adds `row`, which replaces `before`, if there was one.
    mutating func update(row: Row, replacing before: Row?) throws {
        if definition.isMultiValued { return try updateElements(of: row, replacing: before) }
        let new = try definition.checkedKey(of: row)
        if let before {
            let old = try definition.checkedKey(of: before)
            if old.key != new.key { tree.remove(key: old.key, id: row.id) }
            counts.add(old, -1)
        }
        tree.insert(key: new.key, row: row)
        counts.add(new, 1)
    }

    /// The entries that stay are replaced too: they refer to the new row.
    private mutating func updateElements(of row: Row, replacing before: Row?) throws {
        let new = try definition.elementKeys(of: row)
        count(row, 1)
        if let before {
            count(before, -1)
            let old = try definition.elementKeys(of: before)
            if old != new {
                let kept = Set(new)
                for key in old where !kept.contains(key) { tree.remove(key: key, id: row.id) }
            }
        }
        for key in new { tree.insert(key: key, row: row) }
    }

    mutating func remove(_ row: Row) throws {
        if definition.isMultiValued {
            for key in try definition.elementKeys(of: row) {
                tree.remove(key: key, id: row.id)
            }
            count(row, -1)
            return
        }
        let old = try definition.checkedKey(of: row)
        tree.remove(key: old.key, id: row.id)
        counts.add(old, -1)
    }

    /// Counts a row of an index with an entry for each element, if its steps fail.
    private mutating func count(_ row: Row, _ step: Int) {
        if !definition.canRead(row) { counts.addFailed(step) }
    }

    /// The records of an older shape that may have this key, which the tree does not find by it.
    func olderRecords(with key: ByteString) -> Set<RecordID> {
        definition.binding?.olderKeys.records(with: key) ?? []
    }

    /// Whether `isMeant` returns true for a row with this key. O(log n + rows visited).
    func contains(_ key: ByteString, where isMeant: (Row) throws -> Bool) rethrows -> Bool {
        var isFound = false
        let bound = IndexBTree.Bound(key: key, isInclusive: true)
        try tree.scanRows(from: bound, to: bound) { row in
            isFound = try isMeant(row)
            return !isFound
        }
        return isFound
    }
}
