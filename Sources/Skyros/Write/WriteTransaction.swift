public import Foundation

/// The parameter of a write block, through which the block reads and changes the store.
///
/// The block sees its own changes; other readers see them after the block has ended. If the block
/// throws, nothing changes. A transaction cannot be copied, so it cannot outlive its block. Two
/// nested blocks of different stores that exchange their transactions both throw.
///
///     try store.write(by: "alice", because: "new partner") { tx in
///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
///         try tx.update(Order.self, id) { $0.status = .accepted }
///     }
public struct WriteTransaction: ~Copyable {
    /// The overlay of the store that runs the block. It outlives the transaction.
    private let memory: UnsafeMutablePointer<WriteOverlay>
    /// The number of the block among those of its store.
    private let block: UInt64

    /// Makes the transaction of the block that has begun on the overlay.
    init(_ memory: UnsafeMutablePointer<WriteOverlay>) {
        self.memory = memory
        block = memory.pointee.block
    }

    /// Whether this is the transaction of the block that runs on the overlay at `memory`.
    func belongs(to memory: UnsafeMutablePointer<WriteOverlay>) -> Bool {
        self.memory == memory && block == memory.pointee.block
    }

    /// Whether the transaction's block runs.
    var isCurrent: Bool { memory.pointee.isRunning && block == memory.pointee.block }

    /// Throws if the transaction's block has ended.
    func checkBlock() throws {
        guard isCurrent else { throw StoreError.wrongTransaction }
    }

    /// The position of an entity's table in the overlay.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`, `.wrongTransaction`.
    func index<E: Entity>(of type: E.Type) throws -> Int {
        try checkBlock()
        return try overlay.index(of: type)
    }

    /// The staged changes of the block. A query caches its state in it.
    var overlay: WriteOverlay {
        _read { yield memory.pointee }
        nonmutating _modify { yield &memory.pointee }
    }

    // MARK: Inserting

    /// Adds a record.
    ///
    /// - Throws: `StoreError` with `.duplicateID` if a record has its id already, `.notEncodable`;
    ///   `.invalidSchema` if an index contradicts the record, see ``Index``.
    /// - Complexity: O(log n) in the number of records.
    public mutating func insert<E: Entity>(_ value: E) throws {
        let index = try index(of: E.self)
        let found = overlay.lookUp(try RecordCoding.id(value), in: index)
        guard found.row == nil else {
            throw StoreError(
                .duplicateID,
                "\(E.entityName) \(found.id) exists already; use upsert to replace it",
                at: StoreError.Place(entity: E.entityName, ids: [found.id]))
        }
        try put(value, at: found, in: index)
    }

    /// Adds records, all or none.
    ///
    /// - Throws: `StoreError` with `.duplicateID`, naming every existing id; `.notEncodable`.
    /// - Complexity: O(m log n) for m records among n.
    public mutating func insert<E: Entity>(_ values: some Sequence<E>) throws {
        let index = try index(of: E.self)
        let all = try encode(values, in: index)
        var seen: Set<RecordID> = []
        let taken = all.map(\.id).filter { id in
            !seen.insert(id).inserted || overlay.lookUp(id, in: index).row != nil
        }
        guard taken.isEmpty else {
            throw StoreError(
                .duplicateID,
                "\(taken.count) ids of \(E.entityName) exist already; use upsert to replace them",
                at: StoreError.Place(entity: E.entityName, ids: taken))
        }
        for (id, bytes) in all {
            let found = overlay.lookUp(id, in: index)
            overlay.put(bytes, at: found, version: E.evolution.version, in: index)
        }
    }

    // MARK: Updating
    //
    // Fields of the stored record that the type does not know are kept.

    /// Changes a record by a closure and returns what the closure returns.
    ///
    ///     try tx.update(Order.self, id) { $0.status = .accepted }
    ///
    /// Fields of the stored record that the type does not know are kept.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.idChanged` if the
    ///   closure changes the id, `.notDecodable`, `.notEncodable`; errors of the closure.
    /// - Complexity: O(log n) in the number of records.
    @discardableResult
    public mutating func update<E: Entity, R>(
        _ type: E.Type, _ id: E.ID, _ body: (inout E) throws -> R
    ) throws -> R {
        let index = try index(of: E.self)
        let recordID = try RecordCoding.id(id, of: type)
        let found = overlay.lookUp(recordID, in: index)
        guard let row = found.row else { throw Self.notFound(type, [recordID]) }
        var value = try row.value(as: type)
        let result = try body(&value)
        guard try RecordCoding.id(value) == recordID else {
            throw Self.idChanged(type, recordID)
        }
        try put(value, at: found, in: index)
        return result
    }

    /// Replaces the record that has the value's id. Fields of the stored record that the type does
    /// not know are kept.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such record, `.notEncodable`.
    /// - Complexity: O(log n) in the number of records.
    public mutating func update<E: Entity>(_ value: E) throws {
        try update(CollectionOfOne(value))
    }

    /// Replaces records, all or none.
    ///
    /// - Throws: `StoreError` with `.notFound`, naming every id that is missing; `.notEncodable`.
    /// - Complexity: O(m log n) for m records among n.
    public mutating func update<E: Entity>(_ values: some Sequence<E>) throws {
        let index = try index(of: E.self)
        let all = try encode(values, in: index)
        let missing = all.map(\.id).filter { overlay.lookUp($0, in: index).row == nil }
        guard missing.isEmpty else { throw Self.notFound(E.self, missing) }
        for (id, bytes) in all { try stage(bytes, as: E.self, id, in: index) }
    }

    /// Adds the record, or replaces the one that has its id. Fields of a replaced record that the
    /// type does not know are kept.
    ///
    /// - Throws: `StoreError` with `.notEncodable`.
    /// - Complexity: O(log n) in the number of records.
    public mutating func upsert<E: Entity>(_ value: E) throws {
        let index = try index(of: E.self)
        let found = overlay.lookUp(try RecordCoding.id(value), in: index)
        try put(value, at: found, in: index)
    }

    /// Adds or replaces each of the records, all or none.
    ///
    /// - Throws: `StoreError` with `.notEncodable`.
    /// - Complexity: O(m log n) for m records among n.
    public mutating func upsert<E: Entity>(_ values: some Sequence<E>) throws {
        let index = try index(of: E.self)
        for (id, bytes) in try encode(values, in: index) {
            try stage(bytes, as: E.self, id, in: index)
        }
    }

    // MARK: Deleting

    /// Deletes a record; returns whether there was one. O(log n).
    ///
    /// - Throws: `StoreError` with `.notEncodable` if the id cannot be encoded.
    @discardableResult
    public mutating func delete<E: Entity>(_ type: E.Type, _ id: E.ID) throws -> Bool {
        let index = try index(of: E.self)
        let recordID = try RecordCoding.id(id, of: type)
        let found = overlay.lookUp(recordID, in: index)
        guard found.row != nil else { return false }
        overlay.remove(found, in: index)
        return true
    }

    /// Deletes the record that has the value's id; returns whether there was one. O(log n).
    ///
    /// - Throws: `StoreError` with `.notEncodable` if the id cannot be encoded.
    @discardableResult
    public mutating func delete<E: Entity>(_ value: E) throws -> Bool {
        try delete(E.self, value.id)
    }

    /// Deletes the records that pass the filter; returns how many.
    ///
    /// - Throws: what a fetch with this filter throws; see ``RecordSource/fetch(_:)``.
    /// - Complexity: that of the fetch, and O(log n) a record.
    @discardableResult
    public mutating func delete<E: Entity>(
        _ type: E.Type, where filter: Filter<E>
    ) throws -> Int {
        let index = try index(of: E.self)
        try noteMembership(of: FetchRequest(where: filter))
        let snapshot = try overlay.snapshot()
        guard let table = try snapshot.tableIndex(of: type) else { return 0 }
        // The ids of the rows: a decoded value may have another one.
        let ids = try snapshot.tables[table].ids(where: filter)
        for id in ids { overlay.remove(overlay.lookUp(id, in: index), in: index) }
        return ids.count
    }

    /// Deletes the records for which a predicate holds; returns how many.
    ///
    /// - Throws: what a fetch with this predicate throws; see ``RecordSource/fetch(_:)``.
    /// - Complexity: that of the fetch, and O(log n) a record.
    @discardableResult
    public mutating func delete<E: Entity>(
        _ type: E.Type, where predicate: Predicate<E>
    ) throws -> Int {
        try delete(type, where: Filter(predicate))
    }

    /// Deletes all records of the entity; returns how many there were.
    ///
    /// It is one change of the event. If other entities have a ``Relation`` to this one, each
    /// deletion is a change, and the event may become larger than ``Store/Options/eventBytesMax``:
    /// then the write throws `StoreError` with `.limitExceeded`.
    @discardableResult
    public mutating func deleteAll<E: Entity>(_ type: E.Type) throws -> Int {
        let index = try index(of: E.self)
        return overlay.clear(index)
    }

    // MARK: Helpers

    private func put<E: Entity>(_ value: E, at found: Lookup, in index: Int) throws {
        let bytes = try overlay.encode(value, id: found.id, in: index)
        try stage(bytes, as: E.self, at: found, in: index)
    }

    private func stage<E: Entity>(
        _ bytes: [UInt8], as type: E.Type, _ id: RecordID, in index: Int
    ) throws {
        try stage(bytes, as: type, at: overlay.lookUp(id, in: index), in: index)
    }

    /// Stages a record, with the fields of the row that it replaces that the type does not know.
    private func stage<E: Entity>(
        _ bytes: [UInt8], as type: E.Type, at found: Lookup, in index: Int
    ) throws {
        let whole = try found.row?.keepingUnknownFields(in: bytes, as: type) ?? bytes
        // An older version of the app keeps what newer steps have added.
        let version = Swift.max(E.evolution.version, found.row?.version ?? Evolver.firstVersion)
        overlay.put(whole, at: found, version: version, in: index)
    }

    /// Encodes all values of a call before any of them is staged.
    private func encode<E: Entity>(
        _ values: some Sequence<E>, in index: Int
    ) throws -> [(id: RecordID, bytes: [UInt8])] {
        try values.map { value in
            let id = try RecordCoding.id(value)
            return (id, try overlay.encode(value, id: id, in: index))
        }
    }

    static func idChanged<E: Entity>(_ type: E.Type, _ id: RecordID) -> StoreError {
        StoreError(
            .idChanged,
            "the id of \(E.entityName) \(id) was changed; ids never change: "
                + "delete the record and insert another",
            at: StoreError.Place(entity: E.entityName, ids: [id]))
    }

    static func notFound<E: Entity>(_ type: E.Type, _ ids: [RecordID]) -> StoreError {
        notFound(E.entityName, ids)
    }

    static func notFound(_ entity: String, _ ids: [RecordID]) -> StoreError {
        StoreError(
            .notFound, "there is no \(ids.listed(of: entity)); use insert or upsert to add it",
            at: StoreError.Place(entity: entity, ids: ids))
    }
}

extension [RecordID] {
    /// The first of these ids of an entity, for an error.
    func listed(of entity: String) -> String {
        let names = prefix(3).map(\.description).joined(separator: ", ")
        return "\(entity) \(names)" + (count > 3 ? " and \(count - 3) more" : "")
    }
}
