// Typed reads, and blocks of changes, of any data store. A `Store` has faster ones, which are
// preferred where its type is known.

extension DataStore {
    /// The record with this id, or nil.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type; what the
    ///   back end throws.
    @_disfavoredOverload
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> E? {
        let id = try RecordCoding.id(id, of: type)
        return try record(E.entityName, id).map { record in
            try RecordCoding.decode(type, from: record.fields.bytes, id: id)
        }
    }

    /// Whether there is a record with this id.
    @_disfavoredOverload
    public func exists<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        try record(E.entityName, RecordCoding.id(id, of: type)) != nil
    }

    /// The records that pass the filter, sorted: as ``RecordSource``'s read of this name.
    ///
    /// - Throws: as ``get(_:_:)``; what the filter throws.
    @_disfavoredOverload
    public func all<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [E] {
        try fetch(FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit))
    }

    /// The first record that passes the filter, in the order of the sort, or nil.
    @_disfavoredOverload
    public func first<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = []
    ) throws -> E? {
        try fetch(FetchRequest(where: filter, sortedBy: sort, limit: 1)).first
    }

    /// The number of records that pass the filter.
    @_disfavoredOverload
    public func count<E: Entity>(_ type: E.Type, where filter: Filter<E>? = nil) throws -> Int {
        guard let filter else { return try count(of: E.entityName) }
        return try fetch(FetchRequest(where: filter)).count
    }

    /// Runs a block of changes, and returns what it returns.
    ///
    ///     try data.transaction(by: "alice", because: "new partner") { tx in
    ///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
    ///     }
    ///
    /// The block sees its own changes; other readers see them after it has ended. It is atomic: if
    /// it throws, nothing was changed.
    ///
    /// - Parameters:
    ///   - actor: who makes the change. A back end without a history ignores it, as the others.
    ///   - reason: why.
    ///   - metadata: more about the change, such as correlation and tags.
    ///   - block: makes the changes, and may return something.
    /// - Throws: what the block throws; what the back end throws.
    @discardableResult
    public func transaction<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        _ block: (inout DataTransaction) throws -> R
    ) throws -> R {
        var metadata = metadata
        metadata.actor = actor ?? metadata.actor
        metadata.reason = reason ?? metadata.reason
        var result: R?
        try commit(metadata) {
            var transaction = DataTransaction(on: self)
            result = try block(&transaction)
            return transaction.changes
        }
        guard let result else {
            throw StoreError(
                .invalidInput,
                "\(Self.self).commit did not run its block; let it run the block once")
        }
        return result
    }
}
