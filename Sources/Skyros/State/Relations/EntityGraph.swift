/// Records of several entities that were loaded together, by entity and id.
///
///     let graph = try store.graph(of: author.ref, following: [.inverse(\Book.author)])
///     let author = graph[author.ref]
///     for book in graph.all(Book.self) { print(book.title, graph[book.author]?.name ?? "-") }
///
/// Each record is in it once, however many ways lead to it, so references in cycles are no
/// problem. It is a value of one state and stays as it is.
public struct EntityGraph: Sendable {
    private var values: [ObjectIdentifier: [RecordID: any Entity]] = [:]

    /// The number of records of all entities.
    public private(set) var count = 0

    /// - Parameters:
    ///   - root: the type of the roots; another one than their table's reads them by its name.
    ///   - rootTable: the index of their table; nil if there is none.
    init<E: Entity>(
        _ traversal: GraphTraversal, of snapshot: Snapshot, from root: E.Type,
        inTableAt rootTable: Int?
    ) throws {
        for (table, row) in traversal.found {
            let (type, isOfRoot) = (snapshot.tables[table].type, table == rootTable)
            guard type != nil || isOfRoot else { continue }
            if isOfRoot { try add(row, as: root) }
            // The references of other records name the type of the table.
            if let type, !isOfRoot || type != root { try add(row, as: type) }
            count += 1
        }
    }

    private mutating func add<E: Entity>(_ row: Row, as type: E.Type) throws {
        values[ObjectIdentifier(type), default: [:]][row.id] = try row.value(as: type)
    }

    /// The record that a reference leads to; nil if the reference is nil, or if the record was not
    /// loaded. O(1).
    public subscript<E: Entity>(reference: Ref<E>?) -> E? {
        guard let reference, let id = try? RecordCoding.id(reference.id, of: E.self) else {
            return nil
        }
        return values[ObjectIdentifier(E.self)]?[id] as? E
    }

    /// The loaded records of a list of references, in the order of the references. O(m).
    public subscript<E: Entity>(references: [Ref<E>]) -> [E] {
        references.compactMap { self[$0] }
    }

    /// All loaded records of an entity, in the order of their ids. O(m log m).
    public func all<E: Entity>(_ type: E.Type) -> [E] {
        let records = values[ObjectIdentifier(type)] ?? [:]
        return records.sorted { $0.key < $1.key }.compactMap { $0.value as? E }
    }

    /// The loaded records that refer to a record by a property, in the order of their ids. O(m)
    /// in the loaded records of the entity.
    public func all<E: Entity, R: References>(
        _ type: E.Type, referring path: FieldPath<E, R>, to target: Ref<R.Target>
    ) -> [E] {
        all(type).filter { $0[keyPath: path].references.contains(target) }
    }

    /// The number of loaded records of an entity. O(1).
    public func count<E: Entity>(_ type: E.Type) -> Int {
        values[ObjectIdentifier(type)]?.count ?? 0
    }
}

extension RecordSource where Self: ~Copyable {
    /// A record, and the records that the given relations lead to from it.
    ///
    ///     let graph = try store.graph(of: author.ref, following: [.inverse(\Book.author)])
    ///
    /// What is not named is not followed; with no relations the graph has the record only. A record
    /// that does not exist is not in the graph.
    ///
    /// - Complexity: O(v log n + e) for v records that are loaded, and e references of theirs.
    /// - Throws: `StoreError` with `.unknownRelation` if a type declares no relation by a property,
    ///   `.notDecodable`.
    public func graph<E: Entity>(
        of root: Ref<E>, following steps: [GraphStep]
    ) throws -> EntityGraph {
        try graph(of: [root], following: steps)
    }

    /// Records, and the records that the given relations lead to from them.
    ///
    /// Errors and complexity are those of the form with one record.
    public func graph<E: Entity>(
        of roots: [Ref<E>], following steps: [GraphStep]
    ) throws -> EntityGraph {
        let snapshot = try snapshot
        var traversal = try GraphTraversal(snapshot, steps)
        let table = try snapshot.tableIndex(of: E.self)
        if let table {
            let keys = try roots.map {
                RecordKey(table: table, id: try RecordCoding.id($0.id, of: E.self))
            }
            try traversal.run(from: keys)
        }
        return try EntityGraph(traversal, of: snapshot, from: E.self, inTableAt: table)
    }
}
