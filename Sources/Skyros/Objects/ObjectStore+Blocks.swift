// Writing objects in a write block of the app, which makes many calls one event.

extension ObjectStore {
    /// Adds an object in a write block, as ``insert(_:)-(Object)``.
    public func insert(_ object: Object, in tx: inout WriteTransaction) throws {
        try insert(CollectionOfOne(object), in: &tx)
    }

    /// Adds objects in a write block, all or none.
    public func insert(
        _ objects: some Sequence<Object>, in tx: inout WriteTransaction
    ) throws {
        let (entities, context) = try entities(of: objects, in: tx)
        try tx.insert(entities)
        try context.saveRelated(in: &tx)
        if !entities.isEmpty { try limit?.evict(in: &tx) }
    }

    /// Replaces a stored object in a write block, as ``update(_:)-(Object)``.
    public func update(_ object: Object, in tx: inout WriteTransaction) throws {
        try update(CollectionOfOne(object), in: &tx)
    }

    /// Replaces stored objects in a write block, all or none.
    public func update(
        _ objects: some Sequence<Object>, in tx: inout WriteTransaction
    ) throws {
        let (entities, context) = try entities(of: objects, in: tx)
        try tx.update(entities)
        try context.saveRelated(in: &tx)
    }

    /// Adds or replaces an object in a write block, as ``upsert(_:)-(Object)``.
    public func upsert(_ object: Object, in tx: inout WriteTransaction) throws {
        try upsert(CollectionOfOne(object), in: &tx)
    }

    /// Adds or replaces objects in a write block, all or none.
    public func upsert(
        _ objects: some Sequence<Object>, in tx: inout WriteTransaction
    ) throws {
        let (entities, context) = try entities(of: objects, in: tx)
        let countBefore = try tx.count(Stored.self)
        try tx.upsert(entities)
        try context.saveRelated(in: &tx)
        // Replacing evicts nothing, even above the limit.
        if try tx.count(Stored.self) > countBefore { try limit?.evict(in: &tx) }
    }

    /// Deletes a stored object in a write block, as ``delete(_:)-(Object)``.
    @discardableResult
    public func delete(_ object: Object, in tx: inout WriteTransaction) throws -> Bool {
        try tx.delete(Stored.self, mapping.id(object))
    }

    /// Deletes the object whose entity has this id in a write block; returns whether there was one.
    @discardableResult
    public func delete(id: Stored.ID, in tx: inout WriteTransaction) throws -> Bool {
        try tx.delete(Stored.self, id)
    }

    /// Deletes objects in a write block, those that are stored; returns how many there were.
    @discardableResult
    public func delete(
        _ objects: some Sequence<Object>, in tx: inout WriteTransaction
    ) throws -> Int {
        let ids = try objects.map { try mapping.id($0) }
        var count = 0
        for id in ids where try tx.delete(Stored.self, id) { count += 1 }
        return count
    }

    /// Deletes all objects in a write block as one change; returns how many there were.
    @discardableResult
    public func deleteAll(in tx: inout WriteTransaction) throws -> Int {
        try tx.deleteAll(Stored.self)
    }

    /// The entities of objects. All mappings run before the first entity is staged.
    private func entities(
        of objects: some Sequence<Object>, in tx: borrowing WriteTransaction
    ) throws -> (entities: [Stored], context: StoringContext) {
        var context = StoringContext(on: try tx.snapshot)
        let entities = try objects.map { try context.owner($0, by: mapping) }
        return (entities, context)
    }
}
