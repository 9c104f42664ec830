// Reads along references: to the record, and to those that refer to it.

extension RecordSource where Self: ~Copyable {
    /// The record that a reference leads to; nil if the reference is nil, or leads to none.
    /// O(log n).
    ///
    ///     let board = try store.get(card.board)
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    public func get<T: Entity>(_ reference: Ref<T>?) throws -> T? {
        guard let reference else { return nil }
        return try get(T.self, reference.id)
    }

    /// The record that a reference leads to, where there must be one: in the mapping of an object
    /// that needs it, for instance. O(log n).
    ///
    ///     let product = try context.require(wish.product)
    ///
    /// - Throws: `StoreError` with `.brokenReference`, which names the missing record;
    ///   `.notDecodable` if the record does not fit the type.
    public func require<T: Entity>(_ reference: Ref<T>) throws -> T {
        if let record = try get(reference) { return record }
        let id = try RecordCoding.id(reference.id, of: T.self)
        throw StoreError(
            .brokenReference,
            "there is no \(T.entityName) \(id), which a reference leads to; read it with get where "
                + "it may be missing",
            at: StoreError.Place(entity: T.entityName, ids: [id]))
    }

    /// The records that references lead to, in the order of the references; those that lead to
    /// none are left out. O(m log n) for m references.
    ///
    ///     let blockers = try store.get(card.blockedBy)
    ///
    /// - Throws: `StoreError` with `.notDecodable` if a record does not fit the type.
    public func get<T: Entity>(_ references: some Sequence<Ref<T>>) throws -> [T] {
        let snapshot = try snapshot
        return try references.compactMap { try snapshot.get(T.self, $0.id) }
    }

    /// The records that refer to a record by a property, by the index of the relation.
    ///
    ///     let cards = try store.all(Card.self, referring: \.board, to: board.ref,
    ///                               sortedBy: [.ascending(\.title)])
    ///
    /// They are in the order of the sort, and without one in that of their ids. The references are
    /// those that are stored: a default that `init(from:)` supplies is none.
    ///
    /// - Complexity: O(log n + m log m) for the m records that refer to it.
    /// - Throws: `StoreError` with `.unknownRelation` if the type declares no relation by the
    ///   property, `.notDecodable`; what a filter throws.
    public func all<E: Entity, R: References>(
        _ type: E.Type, referring path: FieldPath<E, R>, to target: Ref<R.Target>,
        where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = []
    ) throws -> [E] {
        let snapshot = try snapshot
        let relation = try snapshot.relation(path)
        let request = FetchRequest(where: filter, sortedBy: sort).withoutKeysFromID
        var found: [(value: E, id: RecordID)] = []
        try snapshot.tables[relation.table].forEachReferrer(
            by: relation, to: RecordCoding.id(target.id, of: R.Target.self)
        ) { row in
            let value = try row.value(as: type)
            if try filter?.matches(value) ?? true { found.append((value, row.id)) }
            return true
        }
        if !request.sort.isEmpty { found.sort(by: request.precedes) }
        return found.map(\.value)
    }

    /// The number of records that refer to a record by a property. No record is decoded.
    ///
    ///     let size = try store.count(Card.self, referring: \.board, to: board.ref)
    ///
    /// - Complexity: O(log n + m) for the m records that refer to it.
    /// - Throws: `StoreError` with `.unknownRelation` if the type declares no relation by the
    ///   property.
    public func count<E: Entity, R: References>(
        _ type: E.Type, referring path: FieldPath<E, R>, to target: Ref<R.Target>
    ) throws -> Int {
        let snapshot = try snapshot
        let relation = try snapshot.relation(path)
        var count = 0
        try snapshot.tables[relation.table].forEachReferrer(
            by: relation, to: RecordCoding.id(target.id, of: R.Target.self)
        ) { _ in
            count += 1
            return true
        }
        return count
    }
}
