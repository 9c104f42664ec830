package import SkyrosLog

/// The whole state after one event, as an immutable value.
///
/// Taking a snapshot is O(1), and a snapshot never changes (promise P8). It may be kept, passed to
/// other threads, and compared with others. What it shares with newer states is stored once.
///
///     let before = store.snapshot
///     try store.write { tx in … }
///     let old = try before.get(Order.self, id)
public struct Snapshot: Sendable {
    /// The last event in the snapshot; zero if there was none.
    public package(set) var sequence: SequenceNumber
    /// The time of that event.
    public package(set) var time: EventTime
    /// The chain hash through that event.
    package var chainHash: ChainHash
    /// What the log has recorded of the entities' shapes.
    var schemas = NamedValues<EntitySchema>()
    /// One table for each entity, in no particular order.
    var tables: [Table]
    let hashSeed: UInt64
    /// Whether write blocks may store records of entities for which there is no type.
    var acceptsEntities: Bool
    /// Whether all events need a reason, also those that change entities without a type.
    var requiresReason = false
    /// The values of the store's projections after the same event; nil in every state that is not
    /// one of an open store, and in stores without projections.
    var projections: ProjectionValues?

    /// The state before the first event.
    package init(_ schema: Schema, beginning chainHash: ChainHash, hashSeed: UInt64) {
        sequence = .zero
        time = .zero
        self.chainHash = chainHash
        self.hashSeed = hashSeed
        acceptsEntities = schema.entities.isEmpty
        tables = schema.entities.map {
            Table(
                entity: $0.name, type: $0.type, hashSeed: hashSeed,
                indexes: $0.indexes, relations: $0.relations, requiresReason: $0.requiresReason)
        }
    }

    /// Runs a fold of many events, during which no query uses an index: the indexes are built
    /// afterwards, which costs less than maintaining them for each event.
    mutating func fold(_ body: (inout Snapshot) throws -> Void) throws {
        self = withoutIndexes()
        try body(&self)
        for index in tables.indices { try tables[index].endFold() }
    }

    /// The same rows without indexes, so that changes cost less. No query may see it.
    func withoutIndexes() -> Snapshot {
        var copy = self
        for index in copy.tables.indices { copy.tables[index].beginFold() }
        return copy
    }

    /// Prepares for the rows of a checkpoint, after which `eventCount` events are folded.
    mutating func beginLoading(rowCounts: [(String, Int)], beforeEvents eventCount: Int) {
        for (entity, rowCount) in rowCounts {
            tables[tableIndex(of: entity)].beginLoading(
                rowCount: rowCount, beforeEvents: eventCount)
        }
    }

    /// Builds the indexes of the rows that were loaded.
    mutating func endLoading() {
        for index in tables.indices { tables[index].endLoading() }
    }

    /// Sets the event that the tables have reached.
    mutating func move(to sequence: SequenceNumber, time: EventTime, rawChainHash: UInt64) {
        self.sequence = sequence
        self.time = time
        chainHash = ChainHash(rawValue: rawChainHash)
        projections = nil
    }

    /// The table of `entity`; nil if nothing of it was ever stored and no schema names it.
    func table(_ entity: String) -> Table? {
        tables.first { $0.entity.isSameName(as: entity) }
    }

    /// The index of the table of a type's records; nil if the snapshot was made without types and
    /// holds none.
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if it was made with other types only.
    func tableIndex<E: Entity>(of type: E.Type) throws -> Int? {
        for index in tables.indices where tables[index].type == type { return index }
        // Another type may read the records by their name.
        let entity = E.entityName
        if let index = index(of: entity), isKnown(tables[index]) { return index }
        if isTyped { throw StoreError.unknownEntity(entity, adding: "\(type).self") }
        return nil
    }

    /// Whether the snapshot was made with types, whose tables come first.
    var isTyped: Bool { tables.first?.type != nil }

    private func isKnown(_ table: Table) -> Bool { table.type != nil || !isTyped }

    /// The index of the table of `entity`, which is created if there is none.
    mutating func tableIndex(of entity: String) -> Int {
        if let index = index(of: entity) { return index }
        tables.append(Table(entity: entity, type: nil, hashSeed: hashSeed, indexes: []))
        return tables.count - 1
    }

    /// The index of the table of `entity`; nil if there is none.
    func index(of entity: String) -> Int? {
        tables.firstIndex { $0.entity.isSameName(as: entity) }
    }

    /// The index of the table of `entity`, which had the index `former` in another state; nil if
    /// there is none.
    ///
    /// Types have the same index in all states of a store. The other tables may move: a store that
    /// resumes may load a checkpoint of another process.
    ///
    /// - Complexity: O(1) where the index is the same, otherwise O(entities).
    func index(of entity: String, formerlyAt former: Int) -> Int? {
        if former < tables.count, tables[former].entity.isSameName(as: entity) { return former }
        return index(of: entity)
    }
}

extension Snapshot {
    /// What the log has recorded of the shapes of entities, by their names.
    public var recordedSchemas: NamedValues<EntitySchema> { schemas }

    /// The names of all entities that have records, in the order of their UTF-8.
    public var entities: [String] { tables.filter { $0.count > 0 }.map(\.entity).sortedNames() }

    /// The number of records by entity, for the entities that have any.
    var recordCounts: NamedValues<Int> {
        var counts = NamedValues<Int>()
        for table in tables where table.count > 0 { counts[table.entity] = table.count }
        return counts
    }

    /// The number of records of `entity`; 0 if nothing of it was ever stored. O(1).
    public func count(_ entity: String) -> Int {
        table(entity)?.count ?? 0
    }

    /// The number of records of all entities. O(entities).
    package var recordCount: Int { tables.reduce(0) { $0 + $1.count } }

    /// A digest of all records: equal states have equal digests, in the library, in the tool
    /// and in readers written in other languages. O(size of the state).
    public func digest() throws -> StateDigest { try digest(countingRecords: { _ in }) }

    /// The same; calls `progress` after each record with the number of those that are done.
    package func digest(countingRecords progress: (Int) -> Void) throws -> StateDigest {
        var digest = StateDigest()
        var count = 0
        for table in tables {
            table.rows.forEach { row in
                row.bytes.withUnsafeBytes { record in
                    digest.add(entity: table.entity, id: row.id, record: record)
                }
                count += 1
                progress(count)
                return true
            }
        }
        return digest
    }
}
