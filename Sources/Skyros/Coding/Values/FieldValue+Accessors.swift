public import Foundation

extension FieldValue {
    /// Whether it is null.
    public var isNull: Bool { self == .null }

    /// The truth value, if it is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer, if it is one that `Int` holds.
    public var integer: Int? {
        if case .integer(let value) = self { Int(exactly: value) } else { nil }
    }

    /// The number as a `Double`, if it is a float, or an integer that a `Double` represents
    /// exactly.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        default: nil
        }
    }

    /// The text, if it is one.
    public var text: String? { if case .text(let value) = self { value } else { nil } }

    /// The byte string, if it is one.
    public var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }

    /// The UUID, if it is one.
    public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// The date, if it is one.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }

    /// The elements, if it is an array.
    public var array: [FieldValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The fields, if it is a map.
    public var map: NamedValues<FieldValue>? {
        if case .map(let values) = self { values } else { nil }
    }

    /// The value of a map's key, or nil if there is none or this is no map.
    public subscript(key: String) -> FieldValue? {
        map?[key]
    }

    /// The element of an array, or nil if there is none or this is no array.
    public subscript(index: Int) -> FieldValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }
}
