/// A place where an app keeps records, whatever is below it: a ``Store``, a ``SQLiteStore``, a
/// ``MirroredStore`` of two, or a back end of the app's.
///
/// Code that is written for a data store does not know which it has, so that an app can move from
/// one to another:
///
///     func rename(_ id: User.ID, in data: any DataStore) throws {
///         try data.transaction(by: "alice") { tx in
///             try tx.update(User.self, id) { $0.name = "Alice" }
///         }
///     }
///
/// A back end implements the seven functions about records. The typed reads and
/// ``transaction(by:because:metadata:_:)`` are made of them, and behave in the same way on each.
/// All functions may be called from any thread.
public protocol DataStore: Sendable {
    /// The names of the entities that have records, in any order.
    func entityNames() throws -> [String]

    /// The number of records of an entity; 0 if there is none.
    func count(of entity: String) throws -> Int

    /// The record with this id, or nil.
    func record(_ entity: String, _ id: RecordID) throws -> Record?

    /// Calls `body` with each record of an entity, in any order. `body` may read this store. What
    /// is written meanwhile may be seen or not.
    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws

    /// Runs `block`, and writes the changes that it returns, all or none.
    ///
    /// No other commit of the store runs meanwhile. The reads of the block see the state before it.
    /// If it throws, or the changes cannot be written, nothing is changed, and the error is thrown.
    ///
    /// - Parameters:
    ///   - metadata: who makes the changes and why. A back end without a history ignores it.
    ///   - block: reads the store, and returns the changes.
    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws

    /// Returns once everything that was committed survives power loss.
    func flush() throws

    /// Makes everything durable and frees the files. A second call does nothing.
    func close() throws

    /// The records that pass a request's filter, in its order. There is a default, which reads all
    /// records of the entity; a back end with indexes implements it with them.
    func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E]
}

/// One change of a ``DataStore``'s records.
public enum DataChange: Hashable, Sendable {
    /// Adds the record, or replaces the one that has its entity and id.
    case put(Record)
    /// Deletes the record, if there is one.
    case delete(entity: String, id: RecordID)
    /// Deletes all records of the entity.
    case deleteAll(entity: String)
}

extension DataStore {
    /// The records that pass a request's filter, in its order. O(records of the entity).
    @_disfavoredOverload
    public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        var records: [Record] = []
        try forEachRecord(of: E.entityName) { records.append($0) }
        return try request.values(of: records)
    }
}

extension FetchRequest {
    /// The values of the records that pass the filter, in the order of the request.
    ///
    /// - Throws: `StoreError` with `.notDecodable`; what the filter throws.
    func values(of records: some Sequence<Record>) throws -> [E] {
        let request = resolved
        var found: [(value: E, id: RecordID)] = []
        for record in records {
            let value = try RecordCoding.decode(E.self, from: record.fields.bytes, id: record.id)
            if try request.filter?.matches(value) ?? true { found.append((value, record.id)) }
        }
        found.sort { request.precedes($0, $1) }
        return found.dropFirst(request.skipCount).prefix(request.countMax).map(\.value)
    }
}
