/// The parameter of a block of changes of any ``DataStore``, through which the block reads and
/// changes records.
///
///     try data.transaction(by: "alice") { tx in
///         try tx.insert(user)
///         try tx.update(Order.self, id) { $0.status = .accepted }
///     }
///
/// It has the core of a ``WriteTransaction``, with the same errors. It cannot be copied, so it
/// cannot outlive its block.
public struct DataTransaction: ~Copyable {
    private let store: any DataStore
    private var tables: [StagedRecords] = []

    init(on store: any DataStore) {
        self.store = store
    }

    /// The net effect of the block: entities and records in the order of their first changes.
    var changes: [DataChange] {
        tables.flatMap(\.changes)
    }

    // MARK: Records

    /// The record with this id as the block sees it, or nil.
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        if let table = tables.first(where: { $0.entity.isSameName(as: entity) }) {
            if let staged = table.records[id] { return staged }
            if table.isCleared { return nil }
        }
        return try store.record(entity, id)
    }

    /// All records of an entity as the block sees them, in no particular order. O(n).
    public func records(_ entity: String) throws -> [Record] {
        let table = tables.first { $0.entity.isSameName(as: entity) }
        var records: [Record] = []
        if table?.isCleared != true {
            try store.forEachRecord(of: entity) { record in
                if table?.records[record.id] == nil { records.append(record) }
            }
        }
        return records + (table?.order.compactMap { table?.records[$0] ?? nil } ?? [])
    }

    /// Adds a record.
    ///
    /// - Throws: `StoreError` with `.duplicateID` if a record has its id already.
    public mutating func insert(_ record: Record) throws {
        guard try self.record(record.entity, record.id) == nil else {
            throw StoreError(
                .duplicateID,
                "\(record.entity) \(record.id) exists already; use upsert to replace it",
                at: StoreError.Place(entity: record.entity, ids: [record.id]))
        }
        upsert(record)
    }

    /// Adds a record, or replaces the one that has its entity and id, all of its fields.
    public mutating func upsert(_ record: Record) {
        stage(record.id, record, in: record.entity)
    }

    /// Deletes a record; returns whether there was one.
    @discardableResult
    public mutating func delete(_ entity: String, _ id: RecordID) throws -> Bool {
        guard try record(entity, id) != nil else { return false }
        stage(id, nil, in: entity)
        return true
    }

    /// Deletes all records of an entity; returns how many there were. O(n).
    @discardableResult
    public mutating func deleteAll(_ entity: String) throws -> Int {
        let count = try records(entity).count
        let index = index(of: entity)
        tables[index].clear()
        return count
    }

    private mutating func stage(_ id: RecordID, _ record: Record?, in entity: String) {
        tables[index(of: entity)].stage(id, record)
    }

    private mutating func index(of entity: String) -> Int {
        if let index = tables.firstIndex(where: { $0.entity.isSameName(as: entity) }) {
            return index
        }
        tables.append(StagedRecords(entity: entity))
        return tables.count - 1
    }
}

/// One entity's changes in a block.
private struct StagedRecords {
    let entity: String
    /// Whether the block deleted all records.
    private(set) var isCleared = false
    /// What the block put since; nil for what it deleted.
    private(set) var records: [RecordID: Record?] = [:]
    /// The ids in the order of their first changes.
    private(set) var order: [RecordID] = []

    init(entity: String) {
        self.entity = entity
    }

    mutating func stage(_ id: RecordID, _ record: Record?) {
        if records.updateValue(record, forKey: id) == nil { order.append(id) }
    }

    mutating func clear() {
        (isCleared, records, order) = (true, [:], [])
    }

    var changes: [DataChange] {
        let changes = order.compactMap { id -> DataChange? in
            if let record = records[id] ?? nil { return .put(record) }
            return isCleared ? nil : .delete(entity: entity, id: id)
        }
        return isCleared ? [.deleteAll(entity: entity)] + changes : changes
    }
}
