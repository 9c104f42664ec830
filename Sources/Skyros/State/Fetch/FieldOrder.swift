import Foundation

/// How filters and sorts compare the values of a field: as Swift does where Swift has an order,
/// and as index keys do where it has none.
///
/// Where the two would disagree, a fetch would give other records, or another order, with an
/// index than without.
enum FieldOrder {
    /// Whether `a` is less than `b`, as Swift says; of texts, as it is meant to say.
    static func precedes<V: Comparable>(_ a: V, _ b: V) -> Bool {
        guard V.self == String.self else { return a < b }
        return TextOrder.compare(text(a), text(b)) == .orderedAscending
    }

    /// Whether `a` is less than `b` or equal to it; NaN is neither.
    static func atMost<V: Comparable>(_ a: V, _ b: V) -> Bool {
        guard V.self == String.self else { return a <= b }
        return TextOrder.compare(text(a), text(b)) != .orderedDescending
    }

    /// The order of all values: NaN, which Swift does not order, comes after the others.
    static func compare<V: Comparable>(_ a: V, _ b: V) -> ComparisonResult {
        if V.self == String.self { return TextOrder.compare(text(a), text(b)) }
        if a < b { return .orderedAscending }
        if b < a { return .orderedDescending }
        // Only NaN, and what contains it, does not equal itself.
        switch (a == a, b == b) {
        case (true, false): return .orderedAscending
        case (false, true): return .orderedDescending
        default: return .orderedSame
        }
    }

    private static func text<V>(_ value: V) -> String {
        unsafeBitCast(value, to: String.self)  // The callers have compared the types.
    }
}
