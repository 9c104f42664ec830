// Reading objects: from the newest state, or with `in:` from a snapshot or a write block.

extension ObjectStore {
    /// The number of objects. O(1).
    ///
    /// - Throws: `StoreError` with `.unknownEntity`, as all reads.
    public func count() throws -> Int { try count(in: store) }

    /// The number of objects in a snapshot or a write block. O(1).
    public func count<Source: RecordSource & ~Copyable>(in source: borrowing Source) throws -> Int {
        try source.count(Stored.self)
    }

    /// All objects: the newest first if the object store has a limit, otherwise in the order of
    /// their ids.
    ///
    /// - Throws: `StoreError` with `.notDecodable`; what the mapping throws.
    /// - Complexity: O(n); O(n log n) with a limit and no index on its field.
    public func all() throws -> [Object] { try all(in: store) }

    /// All objects of a snapshot or a write block, as without `in:`.
    public func all<Source: RecordSource & ~Copyable>(
        in source: borrowing Source
    ) throws -> [Object] {
        try fetch(FetchRequest(), in: source)
    }

    /// The objects whose entities a request selects.
    ///
    ///     let cheap = try wishlist.fetch(FetchRequest(where: \.cents < 1_000, limit: 10))
    ///
    /// A request without a sort has the order of ``all()``.
    ///
    /// - Throws: what ``RecordSource/fetch(_:)`` and the mapping throw.
    public func fetch(_ request: FetchRequest<Stored>) throws -> [Object] {
        try fetch(request, in: store)
    }

    /// The objects of a snapshot or a write block whose entities a request selects.
    public func fetch<Source: RecordSource & ~Copyable>(
        _ request: FetchRequest<Stored>, in source: borrowing Source
    ) throws -> [Object] {
        var request = request
        if request.sort.isEmpty, let limit { request.sort = [limit.order] }
        // One state for the objects and what they relate to.
        let snapshot = try source.snapshot
        let context = LoadingContext(on: snapshot)
        return try snapshot.fetch(request).map { try context.object(of: $0, by: mapping) }
    }

    /// The first object whose entity a request selects, or nil.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func first(_ request: FetchRequest<Stored> = FetchRequest()) throws -> Object? {
        var request = request
        request.limit = min(1, request.limit ?? 1)
        return try fetch(request).first
    }

    /// The object whose entity has this id, or nil.
    ///
    /// - Throws: `StoreError` with `.notDecodable`; what the mapping throws.
    /// - Complexity: O(log n) in the number of records, without the mapping.
    public func get(_ id: Stored.ID) throws -> Object? { try get(id, in: store) }

    /// The object of a snapshot or a write block whose entity has this id, or nil.
    public func get<Source: RecordSource & ~Copyable>(
        _ id: Stored.ID, in source: borrowing Source
    ) throws -> Object? {
        try LoadingContext(on: source.snapshot).object(id, by: mapping)
    }

    /// Whether there is an object whose entity has this id. O(log n).
    public func exists(id: Stored.ID) throws -> Bool { try exists(id: id, in: store) }

    /// Whether a snapshot or a write block has an object whose entity has this id. O(log n).
    public func exists<Source: RecordSource & ~Copyable>(
        id: Stored.ID, in source: borrowing Source
    ) throws -> Bool {
        try source.exists(Stored.self, id)
    }

    /// Whether the object was saved: whether there is an entity with its identity. O(log n).
    public func isStored(_ object: Object) throws -> Bool {
        try store.exists(Stored.self, mapping.id(object))
    }

    /// Whether all objects were saved; false for none.
    public func areStored(_ objects: some Sequence<Object>) throws -> Bool {
        let snapshot = store.snapshot
        var isEmpty = true
        for object in objects {
            guard try snapshot.exists(Stored.self, mapping.id(object)) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    /// The objects as they are stored now, in the same order.
    ///
    ///     items = try wishlist.refreshed(items)
    ///
    /// - Throws: `StoreError` with `.notFound`, whose place has the ids of all that are missing.
    public func refreshed(_ objects: some Sequence<Object>) throws -> [Object] {
        let context = LoadingContext(on: store.snapshot)
        var found: [Object] = []
        var missing: [RecordID] = []
        for object in objects {
            let id = try mapping.id(object)
            if let newer = try context.object(id, by: mapping) {
                found.append(newer)
            } else {
                missing.append(try RecordCoding.id(id, of: Stored.self))
            }
        }
        guard missing.isEmpty else {
            throw StoreError(
                .notFound,
                "\(missing.count) of the objects are not stored as \(Stored.entityName); use "
                    + "upsert to add them",
                at: StoreError.Place(entity: Stored.entityName, ids: missing))
        }
        return found
    }

    /// The entity of an object as a save would write it: the stored one with the object's values,
    /// or a new one. It saves nothing, neither it nor those of related objects.
    ///
    /// - Throws: what the mapping throws.
    public func entity(for object: Object) throws -> Stored {
        var context = StoringContext(on: store.snapshot)
        return try context.owner(object, by: mapping)
    }
}
