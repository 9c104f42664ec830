// Values of Swift types in a block of changes.

extension DataTransaction {
    // MARK: Reading

    /// The record with this id as the block sees it, or nil.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let id = try RecordCoding.id(id, of: type)
        return try record(E.entityName, id).map { record in
            try RecordCoding.decode(type, from: record.fields.bytes, id: id)
        }
    }

    /// Whether there is a record with this id, as the block sees it.
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        try record(E.entityName, RecordCoding.id(id, of: type)) != nil
    }

    /// The records that pass the filter, sorted, as the block sees them. O(n).
    public func all<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        let request = FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit)
        return try request.values(of: records(E.entityName))
    }

    // MARK: Writing
    //
    // Fields of the stored record that the type does not know are kept, as by a WriteTransaction.

    /// Adds a record.
    ///
    /// - Throws: `StoreError` with `.duplicateID` if a record has its id already, `.notEncodable`.
    public mutating func insert<E: Entity>(_ value: E) throws {
        try insert(Self.encode(value))
    }

    /// Adds records, all or none.
    public mutating func insert<E: Entity>(_ values: some Sequence<E>) throws {
        for value in values { try insert(value) }
    }

    /// Changes a record by a closure and returns what the closure returns.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.idChanged` if the
    ///   closure changes the id, `.notDecodable`, `.notEncodable`; errors of the closure.
    @discardableResult
    public mutating func update<E: Entity, R>(
        _ type: E.Type, _ id: E.ID, _ body: (inout E) throws -> R
    ) throws -> R {
        let recordID = try RecordCoding.id(id, of: type)
        guard var value = try get(type, id) else {
            throw WriteTransaction.notFound(type, [recordID])
        }
        let result = try body(&value)
        guard try RecordCoding.id(value) == recordID else {
            throw WriteTransaction.idChanged(type, recordID)
        }
        try upsert(value)
        return result
    }

    /// Replaces the record that has the value's id.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.notEncodable`.
    public mutating func update<E: Entity>(_ value: E) throws {
        guard try exists(E.self, value.id) else {
            throw WriteTransaction.notFound(E.self, [try RecordCoding.id(value)])
        }
        try upsert(value)
    }

    /// Adds the record, or replaces the one that has its id.
    ///
    /// - Throws: `StoreError` with `.notEncodable`.
    public mutating func upsert<E: Entity>(_ value: E) throws {
        let new = try Self.encode(value)
        guard let old = try record(new.entity, new.id) else { return upsert(new) }
        let row = Row(
            id: old.id, hash: 0, number: 0, version: E.evolution.version, bytes: old.fields.bytes)
        let whole = try row.keepingUnknownFields(in: new.fields.bytes, as: E.self)
        upsert(Record(entity: new.entity, id: new.id, fields: Fields(trusted: whole)))
    }

    /// Adds or replaces each of the records.
    public mutating func upsert<E: Entity>(_ values: some Sequence<E>) throws {
        for value in values { try upsert(value) }
    }

    /// Deletes the record with this id; returns whether there was one.
    @discardableResult
    public mutating func delete<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        try delete(E.entityName, RecordCoding.id(id, of: type))
    }

    /// Deletes the record that has the value's id; returns whether there was one.
    @discardableResult
    public mutating func delete<E: Entity>(_ value: E) throws -> Bool {
        try delete(E.self, value.id)
    }

    /// Deletes all records of the entity; returns how many there were.
    @discardableResult
    public mutating func deleteAll<E: Entity>(_ type: E.Type) throws -> Int {
        try deleteAll(E.entityName)
    }

    /// The record of a value, which must be read back with the same id.
    private static func encode<E: Entity>(_ value: E) throws -> Record {
        let id = try RecordCoding.id(value)
        let bytes = try RecordCoding.encode(value)
        try IdentityCheck.decode(bytes, as: E.self, id)
        try EncodingCheck.compare(value, with: bytes, id)
        return Record(entity: E.entityName, id: id, fields: Fields(trusted: bytes))
    }
}
