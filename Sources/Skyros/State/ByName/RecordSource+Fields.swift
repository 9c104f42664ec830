// Fields of a typed record by name.

extension RecordSource where Self: ~Copyable {
    /// The value of one field of a record, by the field's stored name; the record is not decoded.
    ///
    ///     let name = try store.value(of: "name", in: Restaurant.self, id, as: String.self)
    ///     let fax = try store.value(of: "fax", in: Restaurant.self, id, as: String?.self)
    ///
    /// An optional is nil if the field is null, or absent and one for which the type asks.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.unknownField` if it
    ///   has no such field and the type asks for none, or `V` is no optional; `.notDecodable` if
    ///   the value does not fit.
    /// - Complexity: O(log n); an absent field needs decoding.
    public func value<E: Entity, V: Decodable>(
        of field: String, in type: E.Type, _ id: E.ID, as valueType: V.Type = V.self
    ) throws -> V {
        let recordID = try RecordCoding.id(id, of: type)
        let snapshot = try state(of: type).snapshot
        guard let index = try snapshot.tableIndex(of: type),
            let row = snapshot.tables[index].row(recordID)
        else {
            throw StoreError(
                .notFound, "there is no \(E.entityName) \(recordID) of which to read a field",
                at: StoreError.Place(entity: E.entityName, ids: [recordID]))
        }
        let fields = Fields(trusted: try row.completeBytes(for: type))
        if !fields.has(field), !fields.isRead(field, by: type) {
            throw StoreError.unknownField(
                [field], of: E.entityName, [recordID], known: fields.names)
        }
        return try StoreError.wrap {
            try fields.read(field, as: valueType, of: E.entityName, recordID)
        }
    }

    /// The value of the field that a key names, as of `CodingKeys`. Errors as above.
    public func value<E: Entity, V: Decodable>(
        of key: some RawRepresentable<String>, in type: E.Type, _ id: E.ID,
        as valueType: V.Type = V.self
    ) throws -> V {
        try value(of: key.rawValue, in: type, id, as: valueType)
    }
}
