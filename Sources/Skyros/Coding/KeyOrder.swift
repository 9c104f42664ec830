import Foundation

/// What the index keys of a Swift type say about its values.
///
/// Index keys order and equal as Swift does for the types named here, and for their optionals.
/// For others, whose `==` and `<` may mean anything, a filter compares the values.
enum KeyOrder: Comparable {
    /// Keys say nothing that can be relied on.
    case none
    /// Equal keys mean equal values, and the other way round.
    case equality
    /// In addition, the order of the keys is the order of the values.
    case full

    static func of(_ type: Any.Type) -> KeyOrder {
        // The most frequent ones first.
        if type == String.self || type == Int.self || type == Double.self { return .full }
        if ordered.contains(ObjectIdentifier(type)) { return .full }
        if type == Bool.self { return .equality }
        if let optional = type as? any OptionalType.Type { return of(optional.wrapped) }
        if let raw = type as? any RawRepresentable.Type { return ofRaw(raw) }
        return .none
    }

    /// Types whose index keys order as the values do.
    private static let ordered = Set(
        [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self,
            UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Double.self,
            Float.self, String.self, Date.self, UUID.self,
        ].map { (type: Any.Type) in ObjectIdentifier(type) })

    /// Raw representable types are equal if their raw values are; their order may be another.
    private static func ofRaw<T: RawRepresentable>(_ type: T.Type) -> KeyOrder {
        min(of(T.RawValue.self), .equality)
    }
}

/// Tells an optional type from others.
protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
