/// The records whose field equals `value`.
public func == <E: Entity, V: Equatable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .equal, value, isReflexive: value == value) { $0[keyPath: path] == value })
}

/// The records whose field does not equal `value`.
public func != <E: Entity, V: Equatable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    !(path == value)
}

/// The records whose field is less than `value`.
public func < <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .less, value, isReflexive: value == value) { $0[keyPath: path] < value })
}

/// The records whose field is at most `value`.
public func <= <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .lessOrEqual, value, isReflexive: value == value) {
            $0[keyPath: path] <= value
        })
}

/// The records whose field is greater than `value`.
public func > <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .greater, value, isReflexive: value == value) { $0[keyPath: path] > value }
    )
}

/// The records whose field is at least `value`.
public func >= <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .greaterOrEqual, value, isReflexive: value == value) {
            $0[keyPath: path] >= value
        })
}

/// The records whose field is not nil and less than `value`.
public func < <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V?>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .less, value, isReflexive: value == value) {
            $0[keyPath: path].map { $0 < value } ?? false
        })
}

/// The records whose field is not nil and at most `value`.
public func <= <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V?>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .lessOrEqual, value, isReflexive: value == value) {
            $0[keyPath: path].map { $0 <= value } ?? false
        })
}

/// The records whose field is not nil and greater than `value`.
public func > <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V?>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .greater, value, isReflexive: value == value) {
            $0[keyPath: path].map { $0 > value } ?? false
        })
}

/// The records whose field is not nil and at least `value`.
public func >= <E: Entity, V: Comparable & Encodable & Sendable>(
    path: FieldPath<E, V?>, value: V
) -> Filter<E> {
    Filter(
        Comparison(path, .greaterOrEqual, value, isReflexive: value == value) {
            $0[keyPath: path].map { $0 >= value } ?? false
        })
}

extension Filter {
    /// The records that pass both filters.
    public static func && (a: Filter, b: Filter) -> Filter {
        Filter(.and(a.root, b.root))
    }

    /// The records that pass at least one of the filters.
    public static func || (a: Filter, b: Filter) -> Filter {
        Filter(.or(a.root, b.root))
    }

    /// The records that do not pass the filter.
    public static prefix func ! (a: Filter) -> Filter {
        Filter(.not(a.root))
    }
}
