// Writes of records without their Swift types, by the names of their entities.

extension WriteTransaction {
    /// The record with this id as the block sees it; nil if there is none. O(log n).
    ///
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened with types, none of
    ///   them of this entity, and holds no records of it; `.evolutionFailed`.
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        try checkBlock()
        return try overlay.record(id, of: entity)
    }

    // MARK: Inserting

    /// Adds a record without its Swift type.
    ///
    ///     let record = try Record(
    ///         entity: "Restaurant", id: RecordID(id), fields: ["id": .uuid(id), "name": "Nonna"])
    ///     try store.write(by: "import") { tx in try tx.insert(record) }
    ///
    /// The record must fit the type of its entity, if the store was opened with one, and is held to
    /// its unique indexes and relations, as a value of the type is. A record of an entity without a
    /// type is written as it is, by a store that keeps such entities: one that was opened with
    /// ``Store/init(untypedAt:options:)-(URL,_)``, or with ``Store/Options/keepsUnknownEntities``.
    /// It is held to the unique indexes and relations that the log records of its entity. These are
    /// checked when the block ends.
    ///
    /// - Throws: `StoreError` with `.duplicateID` if a record has its id already, `.notDecodable`
    ///   if the type does not read it, also if it would read another id; `.unknownEntity`,
    ///   `.invalidInput` for an empty entity name. Without a type, the end of the block throws
    ///   `.evolutionFailed` if a check depends on records which only a closure of the app brings to
    ///   the newest shape, and `.unsupportedFormat` if the log records rules of a later version.
    /// - Complexity: O(log n) in the number of records, and decoding.
    public mutating func insert(_ record: Record) throws {
        try insert(CollectionOfOne(record))
    }

    /// Adds records of any entities, all or none.
    ///
    /// - Throws: `StoreError` with `.duplicateID`, naming every existing id of the first entity
    ///   that has one; what the insertion of one record throws.
    /// - Complexity: O(m log n) for m records among n, and decoding.
    public mutating func insert(_ records: some Sequence<Record>) throws {
        let all = try checked(records)
        var seen: Set<RecordKey> = []
        let taken = all.filter { record, index in
            !seen.insert(RecordKey(table: index, id: record.id)).inserted
                || overlay.lookUp(record.id, in: index).row != nil
        }
        guard let entity = taken.first?.record.entity else { return stage(all) }
        let ids = taken.filter { $0.record.entity.isSameName(as: entity) }.map(\.record.id)
        throw StoreError(
            .duplicateID,
            "\(ids.listed(of: entity)) exist\(ids.count == 1 ? "s" : "") already; use upsert to "
                + "replace what exists",
            at: StoreError.Place(entity: entity, ids: ids))
    }

    // MARK: Updating

    /// Replaces the record that has this one's entity and id, all of its fields.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is none; what ``upsert(_:)-(Record)``
    ///   throws.
    /// - Complexity: O(log n) in the number of records, and decoding.
    public mutating func update(_ record: Record) throws {
        let all = try checked(CollectionOfOne(record))
        for (record, index) in all where overlay.lookUp(record.id, in: index).row == nil {
            throw Self.notFound(record.entity, [record.id])
        }
        try requireReplaceable(all)
        stage(all)
    }

    /// Changes a record by a closure and returns what the closure returns.
    ///
    ///     try tx.update("Restaurant", id) { $0["name"] = "Nonna" }
    ///
    /// Without a type, the closure gets the record as it is stored, and it keeps its shape.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.idChanged` if the
    ///   closure replaces it by one of another entity or id; what ``insert(_:)-(Record)`` throws;
    ///   errors of the closure.
    /// - Complexity: O(log n) in the number of records, and decoding.
    @discardableResult
    public mutating func update<R>(
        _ entity: String, _ id: RecordID, _ body: (inout Record) throws -> R
    ) throws -> R {
        guard var record = try record(entity, id) else { throw Self.notFound(entity, [id]) }
        let result = try body(&record)
        guard record.id == id, record.entity.isSameName(as: entity) else {
            throw StoreError(
                .idChanged,
                "the record \(id) of \"\(entity)\" was replaced by \(record.id) of "
                    + "\"\(record.entity)\"; ids never change: delete it and insert another",
                at: StoreError.Place(entity: entity, ids: [id]))
        }
        // It was made of the stored fields, whatever their shape.
        stage(try checked(CollectionOfOne(record)))
        return result
    }

    /// Adds the record, or replaces the one that has its entity and id, all of its fields.
    ///
    /// Without a type, the new record is read in the shape of the one that it replaces.
    ///
    /// - Throws: `StoreError`, as ``insert(_:)-(Record)``, without `.duplicateID`; without a type,
    ///   `.evolutionFailed` if a closure of the app is to change the replaced record's shape: use
    ///   ``update(_:_:_:)-(String,_,_)`` then.
    /// - Complexity: O(log n) in the number of records, and decoding.
    public mutating func upsert(_ record: Record) throws {
        try upsert(CollectionOfOne(record))
    }

    /// Adds or replaces records of any entities, all or none.
    ///
    /// - Throws: `StoreError`, as ``insert(_:)-(Record)``, without `.duplicateID`.
    /// - Complexity: O(m log n) for m records among n, and decoding.
    public mutating func upsert(_ records: some Sequence<Record>) throws {
        let all = try checked(records)
        try requireReplaceable(all)
        stage(all)
    }

    // MARK: Deleting

    /// Deletes a record; returns whether there was one. O(log n).
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    @discardableResult
    public mutating func delete(_ entity: String, _ id: RecordID) throws -> Bool {
        try checkBlock()
        guard try overlay.row(id, of: entity) != nil else { return false }
        let index = try overlay.index(named: entity)
        overlay.remove(overlay.lookUp(id, in: index), in: index)
        return true
    }

    /// Deletes the record that has this one's entity and id; returns whether there was one.
    /// O(log n).
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    @discardableResult
    public mutating func delete(_ record: Record) throws -> Bool {
        try delete(record.entity, record.id)
    }

    /// Deletes all records of an entity, as ``deleteAll(_:)-(E.Type)``; returns how many there
    /// were.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    @discardableResult
    public mutating func deleteAll(_ entity: String) throws -> Int {
        try checkBlock()
        let index = try overlay.index(named: entity)
        return overlay.clear(index)
    }

    // MARK: Helpers

    /// The records of a call with the positions of their tables, before any of them is staged.
    private func checked(
        _ records: some Sequence<Record>
    ) throws -> [(record: Record, index: Int)] {
        try checkBlock()
        return try records.map { record in
            let index = try overlay.index(named: record.entity)
            try overlay.check(record, in: index)
            return (record, index)
        }
    }

    private func requireReplaceable(_ records: [(record: Record, index: Int)]) throws {
        for (record, index) in records { try overlay.requireReplaceable(record, in: index) }
    }

    private func stage(_ records: [(record: Record, index: Int)]) {
        for (record, index) in records {
            let found = overlay.lookUp(record.id, in: index)
            let version = overlay.shapeVersion(replacing: found.row, in: index)
            overlay.put(record.fields.bytes, at: found, version: version, in: index)
        }
    }
}
