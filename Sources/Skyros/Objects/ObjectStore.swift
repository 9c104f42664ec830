/// The objects of one kind in a store, with the calls of a typed repository: count, fetch, insert,
/// update, upsert, delete.
///
///     let viewed = store.objects(Viewed.self, keeping: 50, newestBy: \.seenAt)
///     try viewed.upsert(Viewed(id: restaurant.id, seenAt: .now))
///     let newestFirst = try viewed.all()
///
/// Each call that changes something is a write block, and so one event. In a block of the app,
/// `in: &tx` makes many calls one event:
///
///     try store.write(by: "alice") { tx in
///         try wishlist.insert(item, in: &tx)
///         try viewed.delete(entry, in: &tx)
///     }
///
/// An object store is a value without a state: any number of them may describe the same records.
/// It may be used from any thread.
public struct ObjectStore<Object: Sendable, Stored: Entity>: Sendable {
    /// The store that holds the records.
    public let store: Store

    let mapping: Mapping<Object, Stored>
    let limit: ObjectLimit<Stored>?
    private(set) var metadata = Metadata()

    init(_ store: Store, _ mapping: Mapping<Object, Stored>, _ limit: ObjectLimit<Stored>? = nil) {
        self.store = store
        self.mapping = mapping
        self.limit = limit
    }

    /// The same objects; writes of the result name an actor and a reason.
    ///
    ///     try wishlist.by("alice", because: "a gift").insert(item)
    ///
    /// Without it, the events have the metadata of `Store.withMetadata`. Calls with `in: &tx` have
    /// that of their block.
    public func by(_ actor: String, because reason: String? = nil) -> ObjectStore {
        var copy = self
        copy.metadata.actor = actor
        copy.metadata.reason = reason ?? metadata.reason
        return copy
    }

    /// Calls `body` with the object store, and returns what it returns or throws as a `Result`.
    ///
    ///     let result = wishlist.execute { try $0.insert(item) }
    ///     if case .failure(let error) = result { show(error) }
    ///
    /// It runs on the calling thread. Each call in `body` is its own write block.
    @discardableResult
    public func execute<R>(_ body: (ObjectStore) throws -> R) -> Result<R, any Error> {
        Result { try body(self) }
    }

    func write<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
        try store.write(metadata: metadata, block)
    }
}

/// How many records an object store keeps: those that come first in an order.
struct ObjectLimit<Stored: Entity>: Sendable {
    let count: Int
    /// The newest record comes first.
    let order: Sort<Stored>

    /// Deletes what comes after the first `count` records.
    func evict(in transaction: inout WriteTransaction) throws {
        let kept = max(0, count)
        guard try transaction.count(Stored.self) > kept else { return }
        let surplus = FetchRequest<Stored>(sortedBy: [order], offset: kept)
        for record in try transaction.fetch(surplus) { try transaction.delete(record) }
    }
}

extension Store {
    /// The records of an entity, as an object store.
    ///
    ///     try store.objects(User.self).insert(User(name: "Ann"))
    public func objects<E: Entity>(_ type: E.Type) -> ObjectStore<E, E> {
        ObjectStore(self, .itself)
    }

    /// The records of an entity, of which only the newest are kept.
    ///
    ///     let viewed = store.objects(Viewed.self, keeping: 50, newestBy: \.seenAt)
    ///
    /// An insertion, or an upsert that adds a record, deletes the oldest ones above the limit in
    /// the same event. The limit belongs to this object store: writes past it, or through another
    /// one, delete nothing. If it is smaller than what is stored, the next insertion trims. Of
    /// records with equal values, those with smaller ids count as newer.
    ///
    /// - Parameters:
    ///   - type: the entity.
    ///   - count: how many records are kept; a negative number counts as 0.
    ///   - path: the field by which greater is newer. An index on it makes evictions O(log n)
    ///     instead of O(n).
    public func objects<E: Entity, V: Comparable & SendableMetatype>(
        _ type: E.Type, keeping count: Int, newestBy path: FieldPath<E, V>
    ) -> ObjectStore<E, E> {
        objects(.itself, keeping: count, newestBy: path)
    }

    /// The objects of a mapping.
    ///
    ///     let places = store.objects(placeMapping)
    public func objects<Object, Stored>(
        _ mapping: Mapping<Object, Stored>
    ) -> ObjectStore<Object, Stored> {
        ObjectStore(self, mapping)
    }

    /// The objects of a mapping, of which only the newest are kept, as without a mapping.
    public func objects<Object, Stored, V: Comparable & SendableMetatype>(
        _ mapping: Mapping<Object, Stored>, keeping count: Int, newestBy path: FieldPath<Stored, V>
    ) -> ObjectStore<Object, Stored> {
        ObjectStore(self, mapping, ObjectLimit(count: count, order: .descending(path)))
    }
}
