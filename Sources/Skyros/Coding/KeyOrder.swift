import Foundation

/// What the index keys of a Swift type say about its values.
///
/// Index keys order and equal as Swift does for the types named here, and for their optionals.
/// Of others, whose `==` and `<` may mean anything, a filter must look at the values themselves.
enum KeyOrder: Comparable {
    /// Keys say nothing that can be relied on.
    case none
    /// Equal keys mean equal values, and the other way round.
    case equality
    /// In addition, the order of the keys is the order of the values.
    case full

    static func of(_ type: Any.Type) -> KeyOrder {
        if type is any OrderedByKey.Type { return .full }
        if type == Bool.self { return .equality }
        if let optional = type as? any OptionalType.Type { return of(optional.wrapped) }
        if let raw = type as? any RawRepresentable.Type { return ofRaw(raw) }
        return .none
    }

    /// The type of the raw value of a raw representable type; the type itself otherwise.
    static func raw(_ type: Any.Type) -> Any.Type {
        func rawValue<T: RawRepresentable>(_ type: T.Type) -> Any.Type { T.RawValue.self }
        return (type as? any RawRepresentable.Type).map { rawValue($0) } ?? type
    }

    /// A raw representable type equals by its raw value; how it orders is its own affair.
    private static func ofRaw<T: RawRepresentable>(_ type: T.Type) -> KeyOrder {
        min(of(T.RawValue.self), .equality)
    }
}

/// Types whose index keys order as the values do.
private protocol OrderedByKey {}

extension Int: OrderedByKey {}
extension Int8: OrderedByKey {}
extension Int16: OrderedByKey {}
extension Int32: OrderedByKey {}
extension Int64: OrderedByKey {}
extension Int128: OrderedByKey {}
extension UInt: OrderedByKey {}
extension UInt8: OrderedByKey {}
extension UInt16: OrderedByKey {}
extension UInt32: OrderedByKey {}
extension UInt64: OrderedByKey {}
extension UInt128: OrderedByKey {}
extension Double: OrderedByKey {}
extension Float: OrderedByKey {}
extension String: OrderedByKey {}
extension Date: OrderedByKey {}
extension UUID: OrderedByKey {}

/// Tells an optional type from others.
protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
