public import Foundation

/// One key of an order: a field, and a direction. Where all keys are equal, ids decide.
///
///     try snapshot.all(Order.self, sortedBy: [.ascending(\.customer), .descending(\.total)])
///
/// Texts order by their Unicode scalars in normal form C, as Swift's do. A field that is nil
/// comes before any value, and NaN after all others.
public struct Sort<E: Entity>: Sendable {
    let isAscending: Bool
    /// The field, if the order is that of its values by `<`; an index may then give it.
    let field: FieldID?
    let compare: @Sendable (E, E) -> ComparisonResult

    /// Smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V>) -> Sort
    {
        Sort(
            isAscending: true, field: KeyOrder.of(V.self) == .full ? FieldID(path) : nil,
            compare: FieldOrder.comparing(path))
    }

    /// Nil first, then smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V?>) -> Sort
    {
        Sort(
            isAscending: true, field: KeyOrder.of(V.self) == .full ? FieldID(path) : nil,
            compare: FieldOrder.comparing(path))
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
        field = nil
        compare = { descriptor.compare($0, $1) }
    }

    private init(
        isAscending: Bool, field: FieldID?,
        compare: @escaping @Sendable (E, E) -> ComparisonResult
    ) {
        self.isAscending = isAscending
        self.field = field
        self.compare = compare
    }

    private var reversed: Sort {
        Sort(isAscending: !isAscending, field: field, compare: { compare($1, $0) })
    }
}
