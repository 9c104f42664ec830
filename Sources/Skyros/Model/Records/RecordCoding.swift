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
    static func decode<E: Entity>(_ type: E.Type, from bytes: [UInt8], id: RecordID) throws -> E {
        try StoreError.wrapping(
            .notDecodable,
            "a record of \(E.entityName) does not fit the type \(type); "
                + "give new fields a default or make them optional",
            at: StoreError.Place(entity: E.entityName, ids: [id])
        ) { try CBORDecoder().decode(type, from: bytes) }
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
