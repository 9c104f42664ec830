// Changes of fields by name.

extension WriteTransaction {
    /// Sets fields of a record by their stored names, all or none; nil sets an optional to nil.
    ///
    ///     try tx.set(User.self, id, ["firstname": "Jo", "age": nil])
    ///
    /// The changed record is read as the type, and written as ``update(_:)-(E)`` writes.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record; `.unknownField`, naming
    ///   the fields for which the type does not ask; `.notDecodable` if a value does not fit the
    ///   type, or is nil where the type needs one; `.idChanged`; what ``update(_:)-(E)`` throws.
    /// - Complexity: O(log n) in the number of records.
    public mutating func set<E: Entity>(
        _ type: E.Type, _ id: E.ID, _ values: [String: FieldValue?]
    ) throws {
        guard let row = try self.row(of: type, id) else {
            throw try Self.notFound(type, [RecordCoding.id(id, of: type)])
        }
        var changed = Record(
            entity: E.entityName, id: row.id,
            fields: Fields(trusted: try row.completeBytes(for: type)))
        let names = Array(NamedValues(values).keys)
        let unknown = changed.fields.unread(names, by: type)
        guard unknown.isEmpty else {
            throw StoreError.unknownField(
                unknown, of: E.entityName, [row.id], known: changed.fieldNames)
        }
        try changed.set(values)
        try update(Self.read(changed, as: type))
    }

    /// Sets the fields that keys name, as of `CodingKeys`. Errors and complexity as above.
    public mutating func set<E: Entity, K: RawRepresentable<String> & Hashable>(
        _ type: E.Type, _ id: E.ID, _ values: [K: FieldValue?]
    ) throws {
        try set(type, id, [String: FieldValue?](values.map { ($0.rawValue, $1) }) { $1 })
    }

    /// The value of a changed record, which has the same id.
    private static func read<E: Entity>(_ record: Record, as type: E.Type) throws -> E {
        // Another id in the field would be found by the check, as a record that does not fit.
        let value = try? CBORDecoder().decode(type, from: record.fields.bytes)
        if let value, try RecordCoding.id(value) != record.id {
            throw idChanged(type, record.id)
        }
        return try RecordCoding.decode(type, from: record.fields.bytes, id: record.id)
    }
}
