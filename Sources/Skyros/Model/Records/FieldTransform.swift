public import Foundation

/// A mapping between a value of the app and the value that a field stores.
///
///     let site = try record.value("site", by: .urlText)        // a URL, stored as text
///     let cents = FieldTransform<Money, Int>(store: \.cents, load: Money.init(cents:))
///     try record.set("price", to: price, by: cents)
///
/// What the closures throw becomes the cause of a `StoreError` with `.notEncodable` or
/// `.notDecodable`.
public struct FieldTransform<Value, Stored: Codable>: Sendable {
    let store: @Sendable (Value) throws -> Stored
    let load: @Sendable (Stored) throws -> Value

    /// A mapping by two closures, which are the inverse of each other.
    public init(
        store: @escaping @Sendable (Value) throws -> Stored,
        load: @escaping @Sendable (Stored) throws -> Value
    ) {
        self.store = store
        self.load = load
    }
}

/// A stored value that a transform cannot load.
private struct Unloadable: Error, CustomStringConvertible {
    let description: String
}

extension FieldTransform where Value == URL, Stored == String {
    /// A URL as its text.
    public static var urlText: FieldTransform {
        FieldTransform(
            store: \.absoluteString,
            load: { text in
                guard let url = URL(string: text) else {
                    throw Unloadable(description: "\"\(text)\" is no URL")
                }
                return url
            })
    }
}

extension FieldTransform
where Value: RawRepresentable & SendableMetatype, Stored == Value.RawValue, Stored: SendableMetatype
{
    /// A value as its raw value.
    public static var rawValue: FieldTransform {
        FieldTransform(
            store: \.rawValue,
            load: { raw in
                guard let value = Value(rawValue: raw) else {
                    throw Unloadable(description: "\(raw) is no raw value of \(Value.self)")
                }
                return value
            })
    }
}
