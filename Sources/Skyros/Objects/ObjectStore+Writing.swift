// Writing objects: each call is one event, however many objects it saves. The calls that save
// return the object store, so that they can be chained.

extension ObjectStore {
    /// Adds an object, and what it relates to.
    ///
    ///     try wishlist.insert(book).insert(lamp)
    ///
    /// With a limit, the oldest objects above it are deleted in the same event.
    ///
    /// - Throws: `StoreError` with `.duplicateID` if its identity is taken; what a write block and
    ///   the mapping throw. Nothing is saved then.
    @discardableResult
    public func insert(_ object: Object) throws -> ObjectStore {
        try insert(CollectionOfOne(object))
    }

    /// Adds objects, all or none, as one event.
    ///
    /// - Throws: as for one; `.duplicateID` names every id that is taken.
    @discardableResult
    public func insert(_ objects: some Sequence<Object>) throws -> ObjectStore {
        try write { try insert(objects, in: &$0) }
        return self
    }

    /// Replaces the stored object that has the same identity.
    ///
    /// - Throws: `StoreError` with `.notFound` if there is none; as ``insert(_:)-(Object)``.
    @discardableResult
    public func update(_ object: Object) throws -> ObjectStore {
        try update(CollectionOfOne(object))
    }

    /// Replaces stored objects, all or none, as one event.
    ///
    /// - Throws: as for one; `.notFound` names every id that is missing.
    @discardableResult
    public func update(_ objects: some Sequence<Object>) throws -> ObjectStore {
        try write { try update(objects, in: &$0) }
        return self
    }

    /// Adds an object, or replaces the stored one that has the same identity. What is unchanged
    /// makes no event.
    ///
    /// - Throws: what the write and the mapping throw.
    @discardableResult
    public func upsert(_ object: Object) throws -> ObjectStore {
        try upsert(CollectionOfOne(object))
    }

    /// Adds or replaces objects, all or none, as one event.
    ///
    /// - Throws: what the write and the mapping throw.
    @discardableResult
    public func upsert(_ objects: some Sequence<Object>) throws -> ObjectStore {
        try write { try upsert(objects, in: &$0) }
        return self
    }

    /// Deletes the stored object that has the same identity, whatever its other values; returns
    /// whether there was one. What it relates to is kept.
    @discardableResult
    public func delete(_ object: Object) throws -> Bool {
        try write { try delete(object, in: &$0) }
    }

    /// Deletes the object whose entity has this id; returns whether there was one.
    @discardableResult
    public func delete(id: Stored.ID) throws -> Bool {
        try write { try delete(id: id, in: &$0) }
    }

    /// Deletes objects by their identities as one event, those that are stored; returns how many
    /// there were.
    @discardableResult
    public func delete(_ objects: some Sequence<Object>) throws -> Int {
        try write { try delete(objects, in: &$0) }
    }

    /// Deletes all objects as one change; returns how many there were.
    @discardableResult
    public func deleteAll() throws -> Int {
        try write { try deleteAll(in: &$0) }
    }
}
