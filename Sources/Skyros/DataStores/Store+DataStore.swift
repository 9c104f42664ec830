// A store as a back end: each commit is an event.

extension Store: DataStore {
    /// The names of the entities that have records.
    public func entityNames() throws -> [String] { snapshot.entities }

    /// The number of records of an entity. O(1).
    public func count(of entity: String) throws -> Int { snapshot.count(entity) }

    /// Calls `body` with each record of an entity in the newest state, in the order of the ids.
    /// O(n log n).
    public func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        try snapshot.forEachRecord(entity, body)
    }

    /// The records that pass the request's filter in the newest state, in its order.
    ///
    /// Errors and complexity are those of ``RecordSource/fetch(_:)``.
    @inlinable
    public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        try snapshot.fetch(request)
    }

    /// Runs `block` and writes the changes that it returns, as one event. The records are held to
    /// the types, unique indexes and relations of the store. If the log is on a server, the block
    /// begins when everything that this node has written before is acknowledged.
    ///
    /// - Throws: what `block` throws; what ``WriteTransaction/upsert(_:)-(Record)`` and
    ///   `write` throw.
    public func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        try write(metadata: metadata) { tx in
            // The block reads what the store shows: with a log on a server, that must have what
            // this node has written before.
            session.lostEvents?.settle()
            for change in try block() {
                switch change {
                case .put(let record): try tx.upsert(record)
                case .delete(let entity, let id): try tx.delete(entity, id)
                case .deleteAll(let entity): try tx.deleteAll(entity)
                }
            }
        }
    }
}
