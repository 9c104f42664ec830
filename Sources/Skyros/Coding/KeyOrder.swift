import Foundation

/// Whether the order of a Swift type's index keys is the order of its values.
///
/// For the types named here, and their optionals, `==` and `<` agree with their index keys. For
/// others they may not, so a filter compares the values: of an optional of an optional, both kinds
/// of nil are null.
enum KeyOrder: Comparable {
    /// Keys and values may disagree.
    case none
    /// Keys are equal if and only if the values are.
    case equality
    /// In addition, the order of the keys is the order of the values.
    case full

    static func of(_ type: Any.Type) -> KeyOrder {
        // The most frequent ones first.
        if type == String.self || type == Int.self || type == Double.self { return .full }
        if ordered.contains(ObjectIdentifier(type)) { return .full }
        if type == Bool.self { return .equality }
        if let optional = type as? any OptionalType.Type {
            return optional.wrapped is any OptionalType.Type ? .none : of(optional.wrapped)
        }
        if let reference = type as? any ReferenceType.Type {
            return min(of(reference.idType), .equality)
        }
        if let raw = type as? any RawRepresentable.Type { return ofRaw(raw) }
        return .none
    }

    /// Types whose index keys have the order of the values.
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

/// Distinguishes optional types from others.
protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
