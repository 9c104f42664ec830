// Smallest and greatest values, and numbers of records in groups.

import Foundation

extension RecordSource where Self: ~Copyable {
    /// The smallest value of a field among the records that pass the filter; nil if there are none.
    ///
    ///     let oldest = try store.min(Order.self, of: \.createdAt, where: \.status == .placed)
    ///
    /// The order is that of sorts, see ``Sort``: texts by their UTF-8, and NaN after all others.
    ///
    /// - Complexity: O(log n) if an index has the order of the field, among those that the filter
    ///   fixes; otherwise that of a ``fetch(_:)`` without a sort.
    /// - Throws: what ``fetch(_:)`` throws.
    public func min<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil
    ) throws -> V? {
        try first(type, where: filter, sortedBy: [.ascending(path)])?[keyPath: path]
    }

    /// The smallest value of a field that is not nil, among the records that pass the filter.
    ///
    /// Order, errors and complexity are those of ``min(_:of:where:)-(_,FieldPath<E,V>,_)``.
    public func min<E: Entity, V: Comparable & Encodable & Sendable>(
        _ type: E.Type, of path: FieldPath<E, V?>, where filter: Filter<E>? = nil
    ) throws -> V? {
        let present = Filter<E>.isPresent(path)
        let filter = filter.map { $0 && present } ?? present
        return try first(type, where: filter, sortedBy: [.ascending(path)])?[keyPath: path]
    }

    /// The greatest value of a field among the records that pass the filter; nil if there are none.
    ///
    ///     let newest = try store.max(Order.self, of: \.createdAt)
    ///
    /// NaN is the greatest of all, as in sorts. Errors and complexity are those of
    /// ``min(_:of:where:)-(_,FieldPath<E,V>,_)``.
    public func max<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil
    ) throws -> V? {
        try first(type, where: filter, sortedBy: [.descending(path)])?[keyPath: path]
    }

    /// The greatest value of a field that is not nil, among the records that pass the filter.
    ///
    /// Order, errors and complexity are those of ``max(_:of:where:)``.
    public func max<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, of path: FieldPath<E, V?>, where filter: Filter<E>? = nil
    ) throws -> V? {
        // Nil is the smallest.
        try first(type, where: filter, sortedBy: [.descending(path)])?[keyPath: path]
    }

    /// The smallest values of a field by the value of another one.
    ///
    /// - Complexity: that of a ``fetch(_:)`` without a sort.
    /// - Throws: what ``fetch(_:)`` throws.
    public func min<E: Entity, V: Comparable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V] {
        try extremes(type, filter, group, .orderedAscending) { $0[keyPath: path] }
    }

    /// The smallest values of a field by the value of another one, without groups in which all are
    /// nil.
    ///
    /// Errors and complexity are those of ``min(_:of:where:groupedBy:)-(_,FieldPath<E,V>,_,_)``.
    public func min<E: Entity, V: Comparable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V?>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V] {
        try extremes(type, filter, group, .orderedAscending) { $0[keyPath: path] }
    }

    /// The greatest values of a field by the value of another one.
    ///
    /// Errors and complexity are those of ``min(_:of:where:groupedBy:)-(_,FieldPath<E,V>,_,_)``.
    public func max<E: Entity, V: Comparable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V] {
        try extremes(type, filter, group, .orderedDescending) { $0[keyPath: path] }
    }

    /// The greatest values of a field by the value of another one, without groups in which all are
    /// nil.
    ///
    /// Errors and complexity are those of ``min(_:of:where:groupedBy:)-(_,FieldPath<E,V>,_,_)``.
    public func max<E: Entity, V: Comparable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V?>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V] {
        try extremes(type, filter, group, .orderedDescending) { $0[keyPath: path] }
    }

    /// The number of records that pass the filter, by the value of a field.
    ///
    ///     let byStatus = try store.count(Order.self, groupedBy: \.status)
    ///     byStatus[.placed] ?? 0
    ///
    /// - Complexity: that of a ``fetch(_:)`` without a sort.
    /// - Throws: what ``fetch(_:)`` throws.
    public func count<E: Entity, K: Hashable>(
        _ type: E.Type, where filter: Filter<E>? = nil, groupedBy group: FieldPath<E, K>
    ) throws -> [K: Int] {
        var counts: [K: Int] = [:]
        try state(of: type).snapshot.forEachValue(type, where: filter) { value in
            counts[value[keyPath: group], default: 0] += 1
        }
        return counts
    }

    private func extremes<E: Entity, V: Comparable, K: Hashable>(
        _ type: E.Type, _ filter: Filter<E>?, _ group: FieldPath<E, K>,
        _ better: ComparisonResult, _ field: (E) -> V?
    ) throws -> [K: V] {
        var best: [K: V] = [:]
        try state(of: type).snapshot.forEachValue(type, where: filter) { value in
            guard let candidate = field(value) else { return }
            let key = value[keyPath: group]
            if let old = best[key], FieldOrder.compareValues(candidate, old) != better { return }
            best[key] = candidate
        }
        return best
    }
}

extension Filter {
    /// The records whose field is not nil.
    static func isPresent<V: Encodable & Sendable>(_ path: FieldPath<E, V?>) -> Filter {
        let none = Condition(FieldID(path), of: V.self, .equal, V?.none)
        let requirement = none.map { Requirement.condition($0).negated } ?? .unknown
        return Filter(
            Comparison(path, "present", false, requirement) { $0[keyPath: path] != nil })
    }
}
