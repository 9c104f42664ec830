import Foundation

/// An entity without its Swift type: an entity's name, an id, and named values.
///
///     record["name"]                  // "Nonna"
///     record["stars"] = 3
///     let restaurant = try record.decode(as: Restaurant.self)
///
/// Records are equal if their stored bytes are.
public struct Record: Hashable, Sendable {
    /// The name under which the entity is stored.
    public let entity: String
    /// The id, without its Swift type.
    public let id: RecordID
    /// All fields, as they are stored.
    public private(set) var fields: Fields

    package init(entity: String, id: RecordID, fields: Fields) {
        self.entity = entity
        self.id = id
        self.fields = fields
    }

    /// A record of these values. O(n log n); throws for values nested deeper than 127 levels.
    public init(entity: String, id: RecordID, fields: NamedValues<FieldValue>) throws {
        self.init(entity: entity, id: id, fields: try Fields(fields))
    }

    /// The names of the fields in stored order: shorter first, then by their UTF-8. O(n).
    public var fieldNames: [String] { fields.names }

    /// The value of a field, or nil if the record does not have it. O(n).
    ///
    /// Setting nil removes the field; setting `.null` keeps it with a null in it. A value that
    /// is nested deeper than 127 levels cannot be set; `set(_:to:)` throws for it, and here it
    /// is a programmer's error.
    public subscript(field: String) -> FieldValue? {
        get {
            // The checked initialisers refuse bytes that do not decode.
            try? fields.value(of: field)
        }
        set {
            do {
                try fields.set(field, to: newValue)
            } catch {
                preconditionFailure("The value cannot be stored in a record: \(error).")
            }
        }
    }

    /// Sets a field, or removes it if `value` is nil; throws if `value` is nested too deeply.
    public mutating func set(_ field: String, to value: FieldValue?) throws {
        try fields.set(field, to: value)
    }

    /// Decodes the record as a Swift type; throws what decoding throws.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        try CBORDecoder().decode(type, from: fields.bytes)
    }
}
