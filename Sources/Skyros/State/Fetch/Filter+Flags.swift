// A field that is a truth value is a condition: `\.isDone`, `!\.isDone`, `\.isDone && \.total > 3`.

/// The records whose field is false.
public prefix func ! <E: Entity>(path: FieldPath<E, Bool>) -> Filter<E> {
    path == false
}

/// The records both of whose fields are true.
public func && <E: Entity>(a: FieldPath<E, Bool>, b: FieldPath<E, Bool>) -> Filter<E> {
    Filter(a) && Filter(b)
}

/// The records one of whose fields is true.
public func || <E: Entity>(a: FieldPath<E, Bool>, b: FieldPath<E, Bool>) -> Filter<E> {
    Filter(a) || Filter(b)
}

extension Filter {
    /// The records whose field is true.
    public init(_ path: FieldPath<E, Bool>) {
        self = path == true
    }

    /// The records whose field is true and that pass a filter.
    public static func && (path: FieldPath<E, Bool>, other: Filter) -> Filter {
        Filter(path) && other
    }

    /// The records that pass a filter and whose field is true.
    public static func && (other: Filter, path: FieldPath<E, Bool>) -> Filter {
        other && Filter(path)
    }

    /// The records whose field is true or that pass a filter.
    public static func || (path: FieldPath<E, Bool>, other: Filter) -> Filter {
        Filter(path) || other
    }

    /// The records that pass a filter or whose field is true.
    public static func || (other: Filter, path: FieldPath<E, Bool>) -> Filter {
        other || Filter(path)
    }
}

extension FetchRequest {
    /// A request for the records whose field is true.
    ///
    ///     let done = try store.fetch(FetchRequest<Todo>(where: \.isDone))
    public init(
        where path: FieldPath<E, Bool>, sortedBy sort: [Sort<E>] = [], offset: Int = 0,
        limit: Int? = nil
    ) {
        self.init(where: Filter(path), sortedBy: sort, offset: offset, limit: limit)
    }
}

extension RecordSource where Self: ~Copyable {
    /// The records whose field is true, sorted.
    ///
    ///     let done = try store.all(Todo.self, where: \.isDone, sortedBy: [.descending(\.due)])
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func all<E: Entity>(
        _ type: E.Type, where path: FieldPath<E, Bool>, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(type, where: Filter(path), sortedBy: sort, offset: offset, limit: limit)
    }

    /// The records whose field is true, by ascending values of another one.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func all<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where path: FieldPath<E, Bool>, sortedBy sort: FieldPath<E, V>,
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try all(
            type, where: Filter(path), sortedBy: [.ascending(sort)], offset: offset, limit: limit)
    }

    /// The first record whose field is true, in the order of the sort, or nil.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func first<E: Entity>(
        _ type: E.Type, where path: FieldPath<E, Bool>, sortedBy sort: [Sort<E>] = []
    ) throws -> E? {
        try first(type, where: Filter(path), sortedBy: sort)
    }

    /// The record whose field is true and that has the smallest value of another one, or nil.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func first<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, where path: FieldPath<E, Bool>, sortedBy sort: FieldPath<E, V>
    ) throws -> E? {
        try first(type, where: Filter(path), sortedBy: [.ascending(sort)])
    }

    /// The number of records whose field is true.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    public func count<E: Entity>(_ type: E.Type, where path: FieldPath<E, Bool>) throws -> Int {
        try count(type, where: Filter(path))
    }
}
