extension Store {
    /// The newest state, as a value. O(1).
    public var snapshot: Snapshot { view.current }

    /// The sequence of the newest event.
    public var sequence: SequenceNumber { view.current.sequence }

    /// Calls `body` with the newest snapshot and returns what it returns.
    ///
    ///     let (open, total) = try store.read { state in
    ///         (try state.count(Order.self, where: \.isOpen == true), try state.count(Order.self))
    ///     }
    ///
    /// The body runs on the calling thread and sees one consistent state, whatever is written
    /// meanwhile, even by the body itself.
    public func read<R>(_ body: (Snapshot) throws -> R) rethrows -> R {
        try body(snapshot)
    }

    /// Calls `body` with the newest snapshot and returns the store, for chaining.
    @discardableResult
    public func read(_ body: (Snapshot) throws -> Void) rethrows -> Self {
        try body(snapshot)
        return self
    }
}

extension Store: RecordSource {
    /// The record with this id in the newest state, or nil. O(log n).
    ///
    ///     let order = try store.get(Order.self, id)
    ///
    /// As `snapshot.get`, without a snapshot. It allocates nothing, unless the encoded id is longer
    /// than 23 bytes, and threads that read at the same time do not slow each other down.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    @inlinable
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        try row(of: type, RecordCoding.id(id, of: type))?.inlinedValue(as: type)
    }

    /// The record with this id in the newest state, or nil: as `get`.
    ///
    ///     let order = try store[Order.self, id]
    @inlinable
    public subscript<E: Entity>(type: E.Type, id: E.ID) -> E? {
        get throws { try get(type, id) }
    }

    /// Whether there is a record with this id in the newest state. O(log n).
    @inlinable
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        try row(of: type, RecordCoding.id(id, of: type)) != nil
    }

    /// Calls `body` with the record with this id, without copying it; nil if there is none.
    ///
    ///     let total = try store.withValue(of: Order.self, id) { $0.totalCents }
    ///
    /// - Throws: `StoreError` with `.notDecodable`; what `body` throws.
    /// - Complexity: O(log n).
    @inlinable
    public func withValue<E: Entity, R>(
        of type: E.Type, _ id: E.ID, _ body: (borrowing E) throws -> R
    ) throws -> R? {
        guard let row = try row(of: type, RecordCoding.id(id, of: type)) else { return nil }
        return try row.withValue(as: type, body)
    }

    @inlinable
    func row<E: Entity>(of type: E.Type, _ id: RecordID) throws -> Row? {
        if let index = tableIndex(of: ObjectIdentifier(type)) { return row(id, inTableAt: index) }
        return try rowByName(of: type, id)
    }

    /// The index of a type's table. It never changes for the types with which the store was opened.
    @usableFromInline
    func tableIndex(of type: ObjectIdentifier) -> Int? {
        resources.schema.index(of: type)
    }

    @usableFromInline
    func row(_ id: RecordID, inTableAt index: Int) -> Row? {
        view.row(id, inTableAt: index)
    }

    @usableFromInline
    func rowByName<E: Entity>(of type: E.Type, _ id: RecordID) throws -> Row? {
        let snapshot = snapshot
        return try snapshot.tableIndex(of: type).flatMap { snapshot.tables[$0].row(id) }
    }
}
