/// A breadth-first search along relations, over stored bytes: no record is decoded.
struct GraphTraversal {
    private let snapshot: Snapshot
    private let steps: [GraphStep.Resolved]
    private var visited: Set<RecordKey> = []
    /// The records that were found, in the order in which they were.
    private(set) var found: [(table: Int, row: Row)] = []

    init(_ snapshot: Snapshot, _ steps: [GraphStep]) throws {
        self.snapshot = snapshot
        self.steps = try steps.flatMap { try $0.resolve(in: snapshot) }
    }

    /// Finds the records at these keys, and all that the steps lead to.
    ///
    /// - Complexity: O(v log n + e) for v records and e references of theirs that are followed.
    mutating func run(from roots: [RecordKey]) throws {
        for root in roots { visit(root.table, snapshot.tables[root.table].row(root.id)) }
        var (distance, start) = (0, 0)
        while start < found.count {
            // The records that are this many steps away.
            let end = found.count
            for position in start..<end {
                for step in steps where step.depth > distance {
                    try follow(step, from: found[position])
                }
            }
            (distance, start) = (distance + 1, end)
        }
    }

    private mutating func follow(
        _ step: GraphStep.Resolved, from origin: (table: Int, row: Row)
    ) throws {
        let relation = step.relation
        if step.isInverse {
            guard relation.target == origin.table else { return }
            let table = snapshot.tables[relation.table]
            for row in try table.referrers(by: relation, to: origin.row.id) {
                visit(relation.table, row)
            }
        } else if relation.table == origin.table {
            let bytes = try snapshot.tables[origin.table].bytes(of: origin.row, by: relation)
            for id in try relation.targets(of: bytes) {
                visit(relation.target, snapshot.tables[relation.target].row(id))
            }
        }
    }

    private mutating func visit(_ table: Int, _ row: Row?) {
        guard let row, visited.insert(RecordKey(table: table, id: row.id)).inserted else { return }
        found.append((table, row))
    }
}
