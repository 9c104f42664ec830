/// A key path by which a write block changes a property, and that may be passed between threads.
public typealias WritableFieldPath<E, V> = any WritableKeyPath<E, V> & Sendable

extension WriteTransaction {
    /// The record that a reference leads to, as the block sees it; nil if the reference is nil, or
    /// leads to none. O(log n).
    public func get<T: Entity>(_ reference: Ref<T>?) throws -> T? {
        guard let reference else { return nil }
        return try get(T.self, reference.id)
    }

    // MARK: Assigning
    //
    // Records that keep their owner are not changed.

    /// Makes these records, and no others, refer to `owner`: those that referred to another one are
    /// moved, and those that referred to `owner` before refer to none.
    ///
    ///     try tx.assign(books.map(\.ref), to: author.ref, by: \.author)
    ///
    /// - Throws: `StoreError` with `.notFound`, naming every record that is missing;
    ///   `.unknownRelation` if the type declares no relation by the property; `.notDecodable`.
    /// - Complexity: O(log n) for each record that is assigned, or was.
    public mutating func assign<E: Entity, T: Entity>(
        _ records: some Sequence<Ref<E>>, to owner: Ref<T>, by path: WritableFieldPath<E, Ref<T>?>
    ) throws {
        let records = Array(records)
        for record in try others(than: records, referringTo: owner, by: path) {
            try update(E.self, record.id) { $0[keyPath: path] = nil }
        }
        try update(records) { $0[keyPath: path] = owner }
    }

    /// Makes these records, and no others, refer to `owner`: those that referred to another one are
    /// moved.
    ///
    /// The reference is required, so none of the records that refer to `owner` may be left out:
    /// assign them to another owner first, or delete them.
    ///
    /// - Throws: `StoreError` with `.brokenReference`, naming the records that are left out;
    ///   `.notFound`, naming every record that is missing; `.unknownRelation`, `.notDecodable`.
    /// - Complexity: O(log n) for each record that is assigned, or was.
    public mutating func assign<E: Entity, T: Entity>(
        _ records: some Sequence<Ref<E>>, to owner: Ref<T>, by path: WritableFieldPath<E, Ref<T>>
    ) throws {
        let records = Array(records)
        let others = try others(than: records, referringTo: owner, by: path)
        guard others.isEmpty else {
            let relation = try snapshot.relation(path)
            let target = try RecordCoding.id(owner.id, of: T.self)
            let left = try others.map {
                relation.reference(from: try RecordCoding.id($0), to: target)
            }
            throw StoreError(
                .brokenReference,
                "\(left.count) records need this reference and are left out: \(left.listed()). "
                    + "Assign them to another owner first, or delete them",
                at: StoreError.Place(
                    entity: E.entityName, ids: left.map(\.id), field: left.first?.field,
                    references: left))
        }
        try update(records) { $0[keyPath: path] = owner }
    }

    /// Makes these records the list of `owner`, in this order, and removes them from the lists of
    /// all others.
    ///
    ///     try tx.assign(books.map(\.ref), to: shelf.ref, in: \.books)
    ///
    /// - Throws: `StoreError` with `.notFound` if there is no such owner; `.unknownRelation` if its
    ///   type declares no relation by the property; `.notDecodable`.
    /// - Complexity: O(log n) for each record and for each list that is changed, and the size of
    ///   these lists.
    public mutating func assign<E: Entity, T: Entity>(
        _ records: some Sequence<Ref<E>>, to owner: Ref<T>, in path: WritableFieldPath<T, [Ref<E>]>
    ) throws {
        let records = Array(records)
        let state = try snapshot
        let moved = Set(records)
        var losers: [Ref<T>] = []
        for record in records {
            for holder in try state.all(T.self, referring: path, to: record)
            where holder.ref != owner { losers.append(holder.ref) }
        }
        var seen: Set<Ref<T>> = []
        losers.removeAll { !seen.insert($0).inserted }
        try update(losers) { $0[keyPath: path].removeAll { moved.contains($0) } }
        try update([owner]) { $0[keyPath: path] = records }
    }

    /// The records that refer to an owner, without some of them.
    private func others<E: Entity, R: References>(
        than records: [Ref<E>], referringTo owner: Ref<R.Target>, by path: FieldPath<E, R>
    ) throws -> [E] {
        let assigned = Set(records)
        return try snapshot.all(E.self, referring: path, to: owner)
            .filter { !assigned.contains($0.ref) }
    }

    /// Changes records by a closure; all must exist.
    private mutating func update<E: Entity>(
        _ references: [Ref<E>], _ body: (inout E) -> Void
    ) throws {
        let missing = try references.filter { try !exists(E.self, $0.id) }
        guard missing.isEmpty else {
            throw Self.notFound(E.self, try missing.map { try RecordCoding.id($0.id, of: E.self) })
        }
        for reference in references { try update(E.self, reference.id, body) }
    }
}
