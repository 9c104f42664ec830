/// Entities ⇄ the fields of records, with errors that name the entity and the record.
@usableFromInline
enum RecordCoding {
    /// The fields of `value`.
    ///
    /// - Throws: `StoreError` with `.notEncodable` if its `encode(to:)` throws, or encodes no
    ///   keyed fields.
    static func encode<E: Entity>(_ value: E) throws -> [UInt8] {
        let bytes = try StoreError.wrapping(
            .notEncodable, "a value of \(E.entityName) cannot be encoded",
            at: StoreError.Place(entity: E.entityName)
        ) { try CBOREncoder().encode(value) }
        guard let first = bytes.first, first >> 5 == CBORType.map.rawValue else {
            let why =
                "a value of \(E.entityName) encodes itself without named fields; "
                + "use a keyed container"
            throw StoreError(.notEncodable, why, at: StoreError.Place(entity: E.entityName))
        }
        return bytes
    }

    /// The value whose fields are `bytes`.
    ///
    /// - Throws: `StoreError` with `.notDecodable`.
    ///
    /// - Parameter allowsOtherID: whether the value may have another id, which steps gave it.
    static func decode<E: Entity>(
        _ type: E.Type, from bytes: [UInt8], id: RecordID,
        allowingOtherID allowsOtherID: Bool = false
    ) throws -> E {
        var unused = FieldRequests()
        return try decode(type, from: bytes, id: id, allowingOtherID: allowsOtherID, &unused)
    }

    /// The value whose fields are `bytes`, and the fields for which the type asked.
    ///
    /// - Throws: `StoreError` with `.notDecodable`, also if the value has another id.
    static func decode<E: Entity>(
        _ type: E.Type, from bytes: [UInt8], id: RecordID,
        allowingOtherID allowsOtherID: Bool = false,
        _ requests: inout FieldRequests
    ) throws -> E {
        let value: E
        do {
            value = try PrototypeFields.decode(type, from: bytes, &requests)
        } catch {
            throw notDecodable(type, bytes, id, error)
        }
        let other = try self.id(value)
        guard other == id || allowsOtherID else { throw notDecodable(type, id, readAs: other) }
        return value
    }

    /// The id of a record that steps have made, which may be another than it was.
    static func changedID<E: Entity>(
        of type: E.Type, _ bytes: [UInt8], _ old: RecordID
    ) throws -> RecordID {
        var unused = FieldRequests()
        do {
            return try id(PrototypeFields.decode(type, from: bytes, &unused))
        } catch let error as DecodingError {
            throw notDecodable(type, bytes, old, error)
        }
    }

    private static func notDecodable<E: Entity>(
        _ type: E.Type, _ record: [UInt8], _ id: RecordID, _ error: any Error
    ) -> StoreError {
        let misfit = Misfit(error, in: record)
        return StoreError(
            .notDecodable,
            "the record \(id) of \"\(E.entityName)\" does not fit the type \(type): it "
                + "\(misfit.fact). To read it, \(misfit.advice)",
            at: StoreError.Place(entity: E.entityName, ids: [id], field: misfit.field),
            cause: String(describing: error))
    }

    private static func notDecodable<E: Entity>(
        _ type: E.Type, _ id: RecordID, readAs other: RecordID
    ) -> StoreError {
        StoreError(
            .notDecodable,
            "the record \(id) of \"\(E.entityName)\" is read as a \(type) with the id "
                + "\(other). To read it, declare `id` as a `var`, name it in CodingKeys if there "
                + "are any, and let init(from:) keep it",
            at: StoreError.Place(entity: E.entityName, ids: [id]))
    }

    /// The id of `value` as bytes.
    @inlinable
    static func id<E: Entity>(_ value: E) throws -> RecordID {
        try id(value.id, of: E.self)
    }

    @inlinable
    static func id<E: Entity>(_ id: E.ID, of type: E.Type) throws -> RecordID {
        do {
            return try RecordID(encoding: id)
        } catch {
            throw notEncodableID(of: type, error)
        }
    }

    @usableFromInline
    static func notEncodableID<E: Entity>(of type: E.Type, _ cause: any Error) -> StoreError {
        StoreError(
            .notEncodable, "an id of \(E.entityName) cannot be encoded",
            at: StoreError.Place(entity: E.entityName), cause: String(describing: cause))
    }
}
