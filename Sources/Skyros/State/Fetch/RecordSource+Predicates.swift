public import Foundation

// Reads by Foundation's predicates.

extension RecordSource where Self: ~Copyable {
    /// The records for which a predicate holds, sorted.
    ///
    ///     let large = try store.all(Order.self, where: #Predicate { $0.totalCents > 10_000 },
    ///                               sortedBy: [.descending(\.createdAt)])
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func all<E: Entity>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: Filter(predicate), sortedBy: sort, offset: offset, limit: limit)
    }

    /// The records for which a predicate holds, by ascending values of one field.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func all<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy path: FieldPath<E, V>,
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: Filter(predicate), sortedBy: path, offset: offset, limit: limit)
    }

    /// The records for which a predicate holds, by ascending values of one field; nil comes first.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func all<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy path: FieldPath<E, V?>,
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: Filter(predicate), sortedBy: path, offset: offset, limit: limit)
    }

    /// The first record for which a predicate holds, in the order of the sort, or nil.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func first<E: Entity>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy sort: [Sort<E>] = []
    ) throws -> E? {
        try first(type, where: Filter(predicate), sortedBy: sort)
    }

    /// The record for which a predicate holds and that has the smallest value of a field, or nil.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func first<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy path: FieldPath<E, V>
    ) throws -> E? {
        try first(type, where: Filter(predicate), sortedBy: path)
    }

    /// The record for which a predicate holds and that has the smallest value of a field, or nil;
    /// a field that is nil is smaller than any value.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func first<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where predicate: Predicate<E>, sortedBy path: FieldPath<E, V?>
    ) throws -> E? {
        try first(type, where: Filter(predicate), sortedBy: path)
    }

    /// The number of records for which a predicate holds.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func count<E: Entity>(_ type: E.Type, where predicate: Predicate<E>) throws -> Int {
        try count(type, where: Filter(predicate))
    }
}
