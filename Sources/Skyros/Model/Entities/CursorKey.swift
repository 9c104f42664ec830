import Foundation

/// A field of a sort, whose values a cursor stores and compares with those of records.
struct CursorKey<E: Entity> {
    /// The field's name; the type of its values where the key path does not show one.
    let name: String
    /// The encoded value of a record's field.
    let encode: (E) throws -> [UInt8]
    /// The order of a record relative to an encoded value; throws if it is no value of the field.
    let comparison: ([UInt8]) throws -> (E) -> ComparisonResult

    /// The key of a field; nil if its type is not `Codable`.
    static func make<V: Comparable>(_ path: FieldPath<E, V>) -> CursorKey? {
        func make<T: Codable>(_ type: T.Type) -> CursorKey {
            CursorKey(
                name: name(of: path, V.self),
                encode: { try CBOREncoder().encode(cast($0[keyPath: path], to: type)) },
                comparison: { bytes in
                    let key = try cast(CBORDecoder().decode(type, from: bytes), to: V.self)
                    return { FieldOrder.compareValues($0[keyPath: path], key) }
                })
        }
        return (V.self as? any Codable.Type).map { make($0) }
    }

    /// The key of a field that may be nil, which comes first.
    static func make<V: Comparable>(_ path: FieldPath<E, V?>) -> CursorKey? {
        func make<T: Codable>(_ type: T.Type) -> CursorKey {
            CursorKey(
                name: name(of: path, V.self),
                encode: { value in
                    try CBOREncoder().encode(value[keyPath: path].map { try cast($0, to: type) })
                },
                comparison: { bytes in
                    let key = try CBORDecoder().decode(T?.self, from: bytes)
                        .map { try cast($0, to: V.self) }
                    return { compare($0[keyPath: path], key) }
                })
        }
        return (V.self as? any Codable.Type).map { make($0) }
    }

    private static func compare<V: Comparable>(_ a: V?, _ b: V?) -> ComparisonResult {
        switch (a, b) {
        case (nil, nil): .orderedSame
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        case (let a?, let b?): FieldOrder.compareValues(a, b)
        }
    }

    private static func name(of path: AnyFieldPath<E>, _ type: Any.Type) -> String {
        FieldName.of(path) ?? "(\(type))"
    }
}

/// The value, as one of a type that is the same.
private func cast<T>(_ value: some Any, to type: T.Type) throws -> T {
    guard let value = value as? T else {
        throw CBORError(.doesNotFit, at: 0)
    }
    return value
}
