// Reads in the order of one field, given by its key path.

extension RecordSource where Self: ~Copyable {
    /// The records that pass the filter, by ascending values of one field.
    ///
    ///     let italian = try store.all(Restaurant.self, where: \.cuisine == "italian",
    ///                                 sortedBy: \.name)
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func all<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V>,
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: filter, sortedBy: [.ascending(path)], offset: offset, limit: limit)
    }

    /// The records that pass the filter, by ascending values of one field; nil comes first.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func all<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V?>,
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: filter, sortedBy: [.ascending(path)], offset: offset, limit: limit)
    }

    /// The record that passes the filter and has the smallest value of a field, or nil.
    ///
    ///     let oldest = try store.first(Order.self, where: \.status == .placed,
    ///                                  sortedBy: \.createdAt)
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func first<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V>
    ) throws -> E? {
        try first(type, where: filter, sortedBy: [.ascending(path)])
    }

    /// The record that passes the filter and has the smallest value of a field, or nil; a field
    /// that is nil is smaller than any value.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func first<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy path: FieldPath<E, V?>
    ) throws -> E? {
        try first(type, where: filter, sortedBy: [.ascending(path)])
    }
}
