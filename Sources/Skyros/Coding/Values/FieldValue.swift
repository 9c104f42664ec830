public import Foundation

/// A stored value without its Swift type, such as the value of a record's field.
///
///     let value: FieldValue = ["name": "Nonna", "tables": 12, "open": true]
///     value["tables"]?.integer     // 12
///
/// A value that was decoded and is encoded again has the same bytes. Equality and hashing are
/// Swift's own, except that NaN equals itself, so that every value equals itself; names are
/// compared by their bytes, see ``NamedValues``.
public enum FieldValue: Sendable {
    /// An explicit null. It differs from an absent field, for which nil is used; there is no
    /// literal for null.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer of up to 128 bits; larger ones are bignums under `tagged`.
    case integer(Int128)
    /// A floating-point number.
    case double(Double)
    /// A text.
    case text(String)
    /// Bytes, as of `Data`.
    case bytes(Data)
    /// A UUID.
    case uuid(UUID)
    /// A point in time, exact to the last bit.
    case date(Date)
    /// Values in order.
    case array([FieldValue])
    /// Values by their names.
    case map(NamedValues<FieldValue>)
    /// A value under a tag of RFC 8949 without a case here, such as a `Decimal` (4) or
    /// a `URL` (32). Tags 55935 to 55949 are reserved: a value with one cannot be stored.
    indirect case tagged(UInt64, FieldValue)
}

extension FieldValue: Equatable {
    /// Swift's own equality of the contents, except that NaN equals itself.
    public static func == (a: FieldValue, b: FieldValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.text(let a), .text(let b)): a == b
        case (.bytes(let a), .bytes(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.date(let a), .date(let b)): a == b || (a.isNaN && b.isNaN)
        case (.array(let a), .array(let b)): a == b
        case (.map(let a), .map(let b)): a == b
        case (.tagged(let a, let inA), .tagged(let b, let inB)): a == b && inA == inB
        default: false
        }
    }
}

extension FieldValue: Hashable {
    /// Mixes in what `==` compares, so that NaN hashes as itself.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .text(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.isNaN ? Date.notANumber : value)
        case .array(let values): hasher.combine(values)
        case .map(let values): hasher.combine(values)
        case .tagged(let tag, let value):
            hasher.combine(tag)
            hasher.combine(value)
        }
    }
}

extension Date {
    fileprivate static let notANumber = Date(timeIntervalSinceReferenceDate: .nan)

    fileprivate var isNaN: Bool { timeIntervalSinceReferenceDate.isNaN }
}
