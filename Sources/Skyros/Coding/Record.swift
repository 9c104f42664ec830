/// An entity's value without its Swift type: a name, an id, and fields addressed by their names.
///
/// Tools, migrations and the log work on records.
public struct Record: Hashable, Sendable {
    /// The entity's name.
    public let entity: String
    /// The id, without its Swift type.
    public let id: RecordID
    package let encoded: [UInt8]

    package init(entity: String, id: RecordID, encoded: [UInt8]) {
        self.entity = entity
        self.id = id
        self.encoded = encoded
    }

    /// A record of the given fields. Nothing is stored by it.
    public init(entity: String, id: RecordID, fields: Fields) {
        self.init(entity: entity, id: id, encoded: fields.encoded)
    }

    /// All fields.
    public var fields: Fields { Fields(encoded: encoded) }

    /// The value of a field; nil if there is no such field. O(size of the record).
    public subscript(_ field: String) -> FieldValue? { fields[field] }

    /// The record as a value of its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit.
    public func decode<E: Entity>(as type: E.Type) throws -> E {
        try RecordCoding.decode(type, from: encoded, id: id)
    }
}
