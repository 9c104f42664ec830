/// A source of records: a snapshot, a write block's transaction, the store itself, which reads its
/// newest snapshot, or a state of the past.
///
/// Reads are synchronous, run on the calling thread, and never wait for a writer, nor for the disk
/// unless they are of a ``PastState``. A read of an entity that the store was not opened with
/// throws `StoreError` with `.unknownEntity`; an `Archive` without types knows every entity.
public protocol RecordSource: ~Copyable {
    /// The state that is read.
    ///
    /// - Throws: `StoreError` if a transaction's own changes cannot be applied, or if a state of
    ///   the past can no longer be read.
    var snapshot: Snapshot { get throws }

    /// All records of a type in that state. What reads one type asks for this: a source that has
    /// not read the rest yet need not do so. Default: those of ``snapshot``.
    ///
    /// - Throws: as ``snapshot``.
    func state<E: Entity>(of type: E.Type) throws -> EntityState

    /// The record with this id, or nil. O(log n).
    func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E?

    /// Whether there is a record with this id. O(log n).
    func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool

    /// Calls `body` with the record with this id, without copying it; nil if there is none.
    func withValue<E: Entity, R>(
        of type: E.Type, _ id: E.ID, _ body: (borrowing E) throws -> R
    ) throws -> R?

    /// The records that pass the request's filter, in its order.
    func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E]

    /// How many records `fetch(request)` gives.
    func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int
}

extension RecordSource where Self: ~Copyable {
    /// All records of a type in ``snapshot``.
    ///
    /// - Throws: as ``snapshot``.
    @inlinable
    public func state<E: Entity>(of type: E.Type) throws -> EntityState {
        EntityState(try snapshot)
    }

    /// The record with this id, or nil. O(log n).
    ///
    ///     let order = try store.get(Order.self, id)
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let recordID = try RecordCoding.id(id, of: type)
        return try snapshot.row(type, recordID)?.value(as: type)
    }

    /// The record with this id, or nil: as `get`.
    ///
    ///     let order = try snapshot[Order.self, id]
    public subscript<E: Entity>(type: E.Type, id: E.ID) -> E? {
        get throws { try get(type, id) }
    }

    /// Whether there is a record with this id. O(log n).
    ///
    /// - Throws: `StoreError` with `.notEncodable` if the id cannot be encoded.
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        let recordID = try RecordCoding.id(id, of: type)
        return try snapshot.row(type, recordID) != nil
    }

    /// Calls `body` with the record with this id, without copying it; nil if there is none.
    ///
    ///     let total = try snapshot.withValue(of: Order.self, id) { $0.totalCents }
    ///
    /// - Throws: `StoreError` with `.notDecodable`; what `body` throws.
    /// - Complexity: O(log n).
    public func withValue<E: Entity, R>(
        of type: E.Type, _ id: E.ID, _ body: (borrowing E) throws -> R
    ) throws -> R? {
        let recordID = try RecordCoding.id(id, of: type)
        return try snapshot.row(type, recordID)?.withValue(as: type, body)
    }

    /// The records that pass the request's filter, in its order.
    ///
    /// - Complexity: O(log n + rows tested), which are all rows unless an index answers the filter;
    ///   if no index has the order, O(m log m) more for the m records that pass.
    /// - Throws: `StoreError` with `.notDecodable`; what a filter or predicate throws.
    @inlinable
    public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        try state(of: E.self).snapshot.rows(of: request).all()
    }

    /// The records that pass the filter, sorted.
    ///
    ///     let italian = try store.all(Restaurant.self, where: \.cuisine == "italian",
    ///                                 sortedBy: \.name)
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func all<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try fetch(FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit))
    }

    /// The first record that passes the filter, in the order of the sort, or nil.
    ///
    /// Errors and complexity are those of ``fetch(_:)``.
    @inlinable
    public func first<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = []
    ) throws -> E? {
        try all(type, where: filter, sortedBy: sort, limit: 1).first
    }

    /// How many records `fetch(request)` gives. O(1) without a filter, otherwise as `fetch`.
    ///
    /// - Throws: what `fetch` throws.
    public func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
        let snapshot = try state(of: E.self).snapshot
        guard let index = try snapshot.tableIndex(of: E.self) else { return 0 }
        return try snapshot.tables[index].count(request)
    }

    /// The number of records that pass the filter. O(1) without one, otherwise as ``fetch(_:)``.
    ///
    /// - Throws: what `fetch` throws.
    public func count<E: Entity>(_ type: E.Type, where filter: Filter<E>? = nil) throws -> Int {
        try count(FetchRequest(where: filter))
    }
}

extension Snapshot {
    fileprivate func row<E: Entity>(_ type: E.Type, _ id: RecordID) throws -> Row? {
        guard let index = try tableIndex(of: type) else { return nil }
        return tables[index].row(id)
    }
}

extension Snapshot: RecordSource {
    /// The snapshot itself.
    public var snapshot: Snapshot { self }
}
