public import Foundation

/// A stored value without its Swift type: what any CBOR reader would see.
///
///     record["name"] == "Nonna"
///     record["rating"]?.double
public enum FieldValue: Hashable, Sendable {
    /// The absence of a value, stored as such.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int128)
    /// A floating-point number.
    case double(Double)
    /// A string.
    case text(String)
    /// A string of bytes.
    case bytes(Data)
    /// A UUID (tag 37).
    case uuid(UUID)
    /// A moment, to the last bit.
    case date(Date)
    /// Values in their order.
    case array([FieldValue])
    /// Values by their names.
    case map([String: FieldValue])
    /// A value under a tag that has no case of its own, such as a `Decimal` (4) or a `URL` (32).
    indirect case tagged(UInt64, FieldValue)
}

extension FieldValue {
    /// The text, if it is one.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number, if it is an integer that fits.
    public var integer: Int? {
        if case .integer(let number) = self { Int(exactly: number) } else { nil }
    }

    /// The number, if it is one.
    public var double: Double? {
        switch self {
        case .double(let number): number
        case .integer(let number): Double(exactly: number)
        default: nil
        }
    }

    /// The truth value, if it is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
}

extension FieldValue: ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .text(value) }
}
