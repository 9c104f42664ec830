extension RecordSource where Self: ~Copyable {
    /// The record with this id as its fields, without its Swift type; nil if there is none.
    /// O(log n).
    ///
    /// In a store that was opened with types, a record of an older shape is given as the steps of
    /// its ``Evolution`` make it.
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened with types, none of
    ///   them of this entity, and holds no records of it; `.evolutionFailed`.
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        let state = try snapshot
        // A table is large: it is not copied for one record.
        guard let index = try state.knownIndex(of: entity),
            let row = state.tables[index].row(id)
        else { return nil }
        return try state.tables[index].record(row)
    }

    /// All records of an entity in the order of their ids. O(n log n).
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened with types, none of
    ///   them of this entity, and holds no records of it; `.evolutionFailed`.
    public func records(_ entity: String) throws -> [Record] {
        guard let table = try snapshot.knownTable(entity) else { return [] }
        return try table.sortedRows().map { try table.record($0) }
    }
}

extension Snapshot {
    /// Calls `body` with all records of an entity in the order of their ids, one at a time.
    /// O(n log n).
    ///
    /// - Throws: what `body` throws; as `records(_:)`.
    public func forEachRecord(_ entity: String, _ body: (Record) throws -> Void) throws {
        guard let table = table(entity) else { return }
        for row in table.sortedRows() { try body(table.record(row)) }
    }

    /// The first ids of an entity in their order, at most `count`. O(n log n).
    package func firstIDs(of entity: String, count: Int) -> [RecordID] {
        table(entity)?.sortedRows().prefix(count).map(\.id) ?? []
    }

    /// The table of an entity; nil if it has no records.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`, as `record(_:_:)`.
    func knownTable(_ entity: String) throws -> Table? {
        try knownIndex(of: entity).map { tables[$0] }
    }

    /// The index of that table.
    func knownIndex(of entity: String) throws -> Int? {
        let index = index(of: entity)
        if index == nil, isTyped {
            throw StoreError.unknownEntity(entity, adding: "the type of \"\(entity)\"")
        }
        return index
    }
}
