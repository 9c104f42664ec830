public import Foundation

/// One key of a sort: a field, and a direction. If all keys are equal, ids decide.
///
///     try snapshot.all(Order.self, sortedBy: [.ascending(\.customer), .descending(\.total)])
///     try snapshot.all(Order.self, sortedBy: [.byID])
///
/// Texts are ordered by the bytes of their UTF-8, as in SQLite; of texts in normal form C that is
/// Swift's order. A field that is nil comes before any value, and NaN after all others.
public struct Sort<E: Entity>: Sendable {
    let isAscending: Bool
    /// The field, if the order is that of its values by `<`; then an index may have it.
    let field: FieldID?
    let compare: @Sendable (E, E) -> ComparisonResult
    /// Whether this is the order of the ids.
    let isByID: Bool
    /// The field as a key of a cursor; nil if its values cannot be stored in one.
    let cursorKey: @Sendable () -> CursorKey<E>?

    /// The order of the ids, see ``RecordID``. It ignores the entity's ``Entity/defaultOrder``, and
    /// the keys that follow it.
    public static var byID: Sort {
        Sort(isAscending: true, field: nil, compare: { _, _ in .orderedSame }, isByID: true) { nil }
    }

    /// Smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V>) -> Sort
    {
        Sort(
            isAscending: true, field: KeyOrder.of(V.self) == .full ? FieldID(path) : nil,
            compare: FieldOrder.comparing(path)
        ) { CursorKey.make(path) }
    }

    /// Nil first, then smaller values first.
    public static func ascending<V: Comparable & SendableMetatype>(_ path: FieldPath<E, V?>) -> Sort
    {
        Sort(
            isAscending: true, field: KeyOrder.of(V.self) == .full ? FieldID(path) : nil,
            compare: FieldOrder.comparing(path)
        ) { CursorKey.make(path) }
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
        // The comparator has a direction. It may compare strings by the user's locale, which no
        // index does.
        isAscending = true
        field = nil
        compare = { descriptor.compare($0, $1) }
        isByID = false
        cursorKey = { nil }
    }

    private init(
        isAscending: Bool, field: FieldID?,
        compare: @escaping @Sendable (E, E) -> ComparisonResult, isByID: Bool = false,
        cursorKey: @escaping @Sendable () -> CursorKey<E>?
    ) {
        self.isAscending = isAscending
        self.field = field
        self.compare = compare
        self.isByID = isByID
        self.cursorKey = cursorKey
    }

    private var reversed: Sort {
        Sort(
            isAscending: !isAscending, field: field, compare: { compare($1, $0) },
            cursorKey: cursorKey)
    }
}
