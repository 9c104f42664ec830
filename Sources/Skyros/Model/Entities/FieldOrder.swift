import Foundation

/// The order by which sorts compare the values of a field: texts by their UTF-8, all others by
/// Swift's `<`, and by the order of index keys if Swift has none.
///
/// A fetch must give the same records in the same order with an index and without one.
enum FieldOrder {
    /// The order of records by a field, chosen once for all of them.
    static func comparing<E: Entity, V: Comparable & SendableMetatype>(
        _ path: FieldPath<E, V>
    ) -> @Sendable (E, E) -> ComparisonResult {
        if let path = cast(path, to: String.self) {
            return { TextOrder.compare($0[keyPath: path], $1[keyPath: path]) }
        }
        if let path = cast(path, to: Double.self) {
            return { compare($0[keyPath: path], $1[keyPath: path]) }
        }
        if isTotal(V.self) {
            return { compareTotal($0[keyPath: path], $1[keyPath: path]) }
        }
        return { compare($0[keyPath: path], $1[keyPath: path]) }
    }

    /// The order of records by a field that may be nil, which comes first.
    static func comparing<E: Entity, V: Comparable & SendableMetatype>(
        _ path: FieldPath<E, V?>
    ) -> @Sendable (E, E) -> ComparisonResult {
        if let path = cast(path, to: String?.self) {
            return { compare($0[keyPath: path], $1[keyPath: path], by: TextOrder.compare) }
        }
        if let path = cast(path, to: Double?.self) {
            return { compare($0[keyPath: path], $1[keyPath: path], by: compare) }
        }
        if isTotal(V.self) {
            return { compare($0[keyPath: path], $1[keyPath: path], by: compareTotal) }
        }
        return { compare($0[keyPath: path], $1[keyPath: path], by: compare) }
    }

    /// The order of values, as of records by a field of their type.
    static func compareValues<V: Comparable>(_ a: V, _ b: V) -> ComparisonResult {
        if let a = a as? String, let b = b as? String { return TextOrder.compare(a, b) }
        return compare(a, b)
    }

    /// Whether Swift orders all values of a type.
    private static func isTotal(_ type: Any.Type) -> Bool {
        KeyOrder.of(type) == .full && type != Double.self && type != Float.self
            && type != Date.self
    }

    private static func compareTotal<V: Comparable>(_ a: V, _ b: V) -> ComparisonResult {
        a < b ? .orderedAscending : b < a ? .orderedDescending : .orderedSame
    }

    /// The order of all values: NaN, which Swift does not order, comes after the others.
    private static func compare<V: Comparable>(_ a: V, _ b: V) -> ComparisonResult {
        if a < b { return .orderedAscending }
        if b < a { return .orderedDescending }
        // Only NaN, and what contains it, does not equal itself.
        switch (a == a, b == b) {
        case (true, false): return .orderedAscending
        case (false, true): return .orderedDescending
        default: return .orderedSame
        }
    }

    /// The key path, as one to values of the other type; nil if its values are not.
    private static func cast<E: Entity, V, T>(
        _ path: FieldPath<E, V>, to type: T.Type
    ) -> FieldPath<E, T>? {
        guard V.self == T.self else { return nil }
        // The types were just compared.
        return unsafeBitCast(path, to: FieldPath<E, T>.self)
    }

    private static func compare<V>(
        _ a: V?, _ b: V?, by compare: (V, V) -> ComparisonResult
    ) -> ComparisonResult {
        switch (a, b) {
        case (nil, nil): .orderedSame
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        case (let a?, let b?): compare(a, b)
        }
    }
}
