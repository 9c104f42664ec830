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
        guard let table = try snapshot.knownTable(entity), let row = table.row(id) else {
            return nil
        }
        return try table.record(row)
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
        let table = table(entity)
        if table == nil, isTyped {
            throw StoreError.unknownEntity(entity, adding: "the type of \"\(entity)\"")
        }
        return table
    }
}
