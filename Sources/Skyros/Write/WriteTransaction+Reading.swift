extension WriteTransaction: RecordSource {
    /// The state with the block's own changes.
    ///
    /// - Complexity: O(records touched) for the first query after a change, O(1) after that.
    ///
    /// In a concurrent block, it counts as a read of all records: any write to the store meanwhile
    /// is a conflict. The other reads of a transaction are as narrow as their requests.
    public var snapshot: Snapshot {
        get throws {
            try checkBlock()
            overlay.reads?.noteState()
            return try overlay.snapshot()
        }
    }

    /// The record with this id as the block sees it, or nil. O(log n).
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let index = try index(of: type)
        return try overlay.lookUp(RecordCoding.id(id, of: type), in: index).row?.value(as: type)
    }

    /// The row with this id as the block sees it.
    func row<E: Entity>(of type: E.Type, _ id: E.ID) throws -> Row? {
        let index = try index(of: type)
        return overlay.lookUp(try RecordCoding.id(id, of: type), in: index).row
    }

    /// The record with this id as the block sees it, or nil: as `get`.
    public subscript<E: Entity>(type: E.Type, id: E.ID) -> E? {
        get throws { try get(type, id) }
    }

    /// Whether there is a record with this id, as the block sees it. O(log n).
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        let index = try index(of: type)
        return overlay.lookUp(try RecordCoding.id(id, of: type), in: index).row != nil
    }

    /// Calls `body` with the record with this id, as the block sees it, without copying it; nil if
    /// there is none. O(log n).
    public func withValue<E: Entity, R>(
        of type: E.Type, _ id: E.ID, _ body: (borrowing E) throws -> R
    ) throws -> R? {
        let index = try index(of: type)
        let found = overlay.lookUp(try RecordCoding.id(id, of: type), in: index)
        return try found.row?.withValue(as: type, body)
    }

    /// The records that pass the request's filter, as the block sees them, in the request's order.
    ///
    /// Errors and complexity are those of ``RecordSource/fetch(_:)``.
    public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        try checkBlock()
        let state = try overlay.snapshot()
        guard let reads = overlay.reads, request.countMax > 0 else {
            return try state.rows(of: request).all()
        }
        guard let table = try overlay.base.tableIndex(of: E.self) else {
            // Any event meanwhile may add it.
            reads.noteState()
            return []
        }
        do {
            let found = try state.valuesWithIDs(of: request)
            reads.note(RecordedFetch(request, returning: found, inTableAt: table))
            return found.map(\.value)
        } catch {
            // The block may go by the error.
            reads.noteAll(inTableAt: table)
            throw error
        }
    }

    /// How many records `fetch(request)` gives.
    ///
    /// O(1) without a filter, otherwise as `fetch`. Errors are those of ``RecordSource/fetch(_:)``.
    public func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
        try checkBlock()
        try noteMembership(of: request)
        return try overlay.snapshot().count(request)
    }

    /// Records that the block goes by which records pass the request's filter.
    func noteMembership<E: Entity>(of request: FetchRequest<E>) throws {
        guard let reads = overlay.reads else { return }
        guard let table = try overlay.base.tableIndex(of: E.self) else { return reads.noteState() }
        reads.note(RecordedFetch(request, .membership, inTableAt: table))
    }
}
