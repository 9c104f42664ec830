// Joins of two entities along a reference.

extension RecordSource where Self: ~Copyable {
    /// The pairs of a record and a record that it refers to.
    ///
    ///     let open = try store.join(Card.self, \.board, where: \.isDone == false,
    ///                               whereTarget: \.isArchived == false)
    ///     for (card, board) in open { print(board.name, card.title) }
    ///
    /// A record without a reference is in no pair, one with several is in a pair for each. The
    /// pairs are in the order of the sort, and without one in that of the ids; those of one record
    /// are in the order of its references.
    ///
    /// - Parameters:
    ///   - type: the type of the records that refer.
    ///   - path: the reference, or the list of references.
    ///   - filter: the condition on the records that refer.
    ///   - targetFilter: the condition on the records that are referred to. If there is no other
    ///     filter, these are found first, and the index of the relation leads to the others.
    ///   - sort: the order of the records that refer.
    /// - Complexity: that of the fetch by the first filter, and O(log n) for each pair.
    /// - Throws: `StoreError` with `.unknownRelation` if the type declares no relation by the
    ///   property, `.notDecodable`; what a filter throws.
    public func join<E: Entity, R: References>(
        _ type: E.Type, _ path: FieldPath<E, R>, where filter: Filter<E>? = nil,
        whereTarget targetFilter: Filter<R.Target>? = nil, sortedBy sort: [Sort<E>] = []
    ) throws -> [(record: E, target: R.Target)] {
        let snapshot = try snapshot
        let relation = try snapshot.relation(path)
        var join = Join<E, R.Target>(snapshot, relation)
        let request = FetchRequest(where: filter, sortedBy: sort).withoutKeysFromID
        if let targetFilter, filter == nil {
            return try join.pairs(targets: targetFilter, in: request)
        }
        return try join.pairs(request, targets: targetFilter)
    }
}

/// A join in progress.
private struct Join<E: Entity, T: Entity> {
    typealias Pair = (record: E, target: T)

    private let records: Table
    private let targets: Table
    private let relation: RelationDefinition
    /// The targets that were read, by id; nil for those that are in no pair.
    private var known: [RecordID: T?] = [:]

    init(_ snapshot: Snapshot, _ relation: RelationDefinition) {
        records = snapshot.tables[relation.table]
        targets = snapshot.tables[relation.target]
        self.relation = relation
    }

    /// The pairs of the records of a request.
    mutating func pairs(_ request: FetchRequest<E>, targets filter: Filter<T>?) throws -> [Pair] {
        // With the ids of the rows: in a state of the past a value may have another one.
        let found = try records.fetch(request, records.plan(request)) { (value: $0, id: $1) }
        var pairs: [Pair] = []
        for (value, id) in found {
            guard let row = records.row(id) else { continue }
            for id in try relation.targets(of: records.bytes(of: row)) {
                if let target = try target(id, filter) { pairs.append((value, target)) }
            }
        }
        return pairs
    }

    /// The pairs of the targets that pass a filter.
    mutating func pairs(
        targets filter: Filter<T>, in request: FetchRequest<E>
    ) throws -> [Pair] {
        let wanted = try targets.ids(where: filter)
        var found: [(value: E, id: RecordID)] = []
        var seen: Set<RecordID> = []
        for id in wanted {
            try records.forEachReferrer(by: relation, to: id) { row in
                if seen.insert(row.id).inserted {
                    found.append((try row.value(as: E.self), row.id))
                }
                return true
            }
        }
        found.sort(by: request.precedes)
        let passing = Set(wanted)
        var pairs: [Pair] = []
        for (value, id) in found {
            guard let row = records.row(id) else { continue }
            let all = try relation.targets(of: records.bytes(of: row))
            for target in all where passing.contains(target) {
                if let target = try self.target(target, nil) { pairs.append((value, target)) }
            }
        }
        return pairs
    }

    private mutating func target(_ id: RecordID, _ filter: Filter<T>?) throws -> T? {
        if let target = known[id] { return target }
        let value = try targets.row(id)?.value(as: T.self)
        let isWanted = try value.map { try filter?.matches($0) ?? true } ?? false
        known[id] = .some(isWanted ? value : nil)
        return isWanted ? value : nil
    }
}
