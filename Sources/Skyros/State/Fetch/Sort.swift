public import Foundation

/// One key of an order: a field, and a direction. Where all keys are equal, ids decide.
///
///     try snapshot.all(Order.self, sortedBy: .ascending(\.customer), .descending(\.total))
///
/// Texts order by their Unicode scalars in normal form C, as Swift's do. A field that is nil
/// comes before any value, and NaN after all others.
public struct Sort<E: Entity>: Sendable {
    let isAscending: Bool
    /// The field, if the order is that of its values by `<`; an index may then give it.
    let path: AnyFieldPath<E>?
    let compare: @Sendable (E, E) -> ComparisonResult

    /// Smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V>) -> Sort
    {
        Sort(
            isAscending: true, path: KeyOrder.of(V.self) == .full ? path : nil,
            compare: { FieldOrder.compare($0[keyPath: path], $1[keyPath: path]) })
    }

    /// Nil first, then smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V?>) -> Sort
    {
        Sort(
            isAscending: true, path: KeyOrder.of(V.self) == .full ? path : nil,
            compare: { order($0[keyPath: path], $1[keyPath: path]) })
    }

    /// Greater values first.
    public static func descending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V>) -> Sort
    {
        Sort.ascending(path).reversed
    }

    /// Greater values first, nil last.
    public static func descending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V?>)
        -> Sort
    {
        Sort.ascending(path).reversed
    }

    /// The order of a sort descriptor.
    public init(_ descriptor: SortDescriptor<E>) {
        // The comparator knows its own direction. Its strings may compare by the user's locale,
        // which no index can give.
        isAscending = true
        path = nil
        compare = { descriptor.compare($0, $1) }
    }

    private init(
        isAscending: Bool, path: AnyFieldPath<E>?,
        compare: @escaping @Sendable (E, E) -> ComparisonResult
    ) {
        self.isAscending = isAscending
        self.path = path
        self.compare = compare
    }

    private var reversed: Sort {
        Sort(isAscending: !isAscending, path: path, compare: { compare($1, $0) })
    }

    private static func order<V: Comparable>(_ a: V?, _ b: V?) -> ComparisonResult {
        switch (a, b) {
        case (nil, nil): .orderedSame
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        case (let a?, let b?): FieldOrder.compare(a, b)
        }
    }
}
