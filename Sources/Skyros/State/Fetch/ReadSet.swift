import SkyrosDisk

/// What was read from a state: ids, present and absent, and the requests of queries.
///
/// A later state conflicts with it if one of these reads would have another answer there. That is
/// what makes concurrent write blocks serializable: a read of an id that did not exist conflicts
/// with its insertion, and a query with any record that enters or leaves its answer (a phantom).
///
/// The answers are not kept: the two states are compared. Source of the idea: "precision locking",
/// J. R. Jordan et al., "Precision Locks", SIGMOD 1981; T. Neumann et al., "Fast Serializable
/// Multi-Version Concurrency Control for Main-Memory Database Systems", SIGMOD 2015, section 3.
///
/// - Note: `@unchecked` because of its variables: used by one thread at a time, which records, and
///   then by the one that checks.
final class ReadSet: @unchecked Sendable {
    private struct Point: Hashable {
        let table: Int
        let id: RecordID
    }

    /// The entities of the state that is read, by the indexes of their tables there.
    private let entities: [String]
    private var points: Set<Point> = []
    private var queries: [any RecordedQuery] = []
    private var wholeTables: Set<Int> = []
    private var isWholeState = false

    /// - Parameter state: the state that is read.
    init(of state: Snapshot) {
        entities = state.tables.indices.map { state.tables[$0].entity }
    }

    /// Records that a record was looked up; `table` is its table's index in the state.
    ///
    /// As the other calls, it does nothing for a table that the block itself has added.
    func note(_ id: RecordID, inTableAt table: Int) {
        if table < entities.count { points.insert(Point(table: table, id: id)) }
    }

    /// Records a query.
    func note(_ query: some RecordedQuery) {
        if query.table < entities.count { queries.append(query) }
    }

    /// Records that all records of an entity were read.
    func noteAll(inTableAt table: Int) {
        if table < entities.count { wholeTables.insert(table) }
    }

    /// Records that everything may have been read.
    func noteState() {
        isWholeState = true
    }

    /// The first read that has another answer in a later state; nil if there is none.
    ///
    /// What cannot be compared, because a filter or decoding throws, is taken for a conflict.
    ///
    /// - Parameter base: the state that was read, or a later one that has the same answers.
    /// - Complexity: O(ids log n), and O(queries × records that changed in their entity).
    func conflict(from base: Snapshot, to newer: Snapshot) -> ReadConflict? {
        if isWholeState, let entity = base.firstDifference(from: newer) {
            return ReadConflict(entity: entity, id: nil)
        }
        for table in wholeTables {
            let before = rows(ofTableAt: table, in: base)
            guard before.isSame(as: rows(ofTableAt: table, in: newer)) else {
                return ReadConflict(entity: entities[table], id: nil)
            }
        }
        for point in points {
            let (before, after) = (row(at: point, in: base), row(at: point, in: newer))
            guard Self.areSame(before, after) else {
                return ReadConflict(entity: entities[point.table], id: point.id)
            }
        }
        return phantom(from: base, to: newer)
    }

    /// The row of a record that was looked up, in any state.
    private func row(at point: Point, in state: Snapshot) -> Row? {
        let index = state.index(of: entities[point.table], formerlyAt: point.table)
        return index.flatMap { state.tables[$0].row(point.id) }
    }

    /// The rows of a table that was read, in any state.
    private func rows(ofTableAt table: Int, in state: Snapshot) -> RowTrie {
        state.rows(of: entities[table], formerlyAt: table)
    }

    /// Whether two rows hold the same record, in the same shape: the steps from another one may
    /// make another record of the same bytes.
    private static func areSame(_ a: Row?, _ b: Row?) -> Bool {
        a.map { $0.isSameRecord(as: b) } ?? (b == nil)
    }

    private func phantom(from base: Snapshot, to newer: Snapshot) -> ReadConflict? {
        for table in Set(queries.map(\.table)) {
            let queries = queries.filter { $0.table == table }
            var conflict: ReadConflict?
            let (old, new) = (rows(ofTableAt: table, in: base), rows(ofTableAt: table, in: newer))
            old.forEachDifference(to: new) { before, after in
                if Self.areSame(before, after) { return true }
                if queries.contains(where: { $0.isAffected(by: before, after) }) {
                    conflict = ReadConflict(entity: entities[table], id: before?.id ?? after?.id)
                }
                return conflict == nil
            }
            if let conflict { return conflict }
        }
        return nil
    }
}

/// A read whose answer was changed by a later event.
struct ReadConflict: Error, Equatable {
    let entity: String
    /// The record that was changed; nil if the block had read all records.
    let id: RecordID?
}

extension Snapshot {
    /// The rows of an entity, whose table had the index `former` in another state. A table that is
    /// missing has none.
    fileprivate func rows(of entity: String, formerlyAt former: Int) -> RowTrie {
        index(of: entity, formerlyAt: former).map { tables[$0].rows } ?? RowTrie()
    }

    /// The entity of the first table that differs; nil if none does.
    fileprivate func firstDifference(from newer: Snapshot) -> String? {
        for index in tables.indices {
            let entity = tables[index].entity
            let rows = newer.rows(of: entity, formerlyAt: index)
            if !tables[index].rows.isSame(as: rows) { return entity }
        }
        for index in newer.tables.indices where newer.tables[index].count > 0 {
            let entity = newer.tables[index].entity
            if self.index(of: entity, formerlyAt: index) == nil { return entity }
        }
        return nil
    }
}

extension RowTrie {
    /// Whether no row was changed between this state and a later one.
    fileprivate func isSame(as newer: RowTrie) -> Bool {
        isIdentical(to: newer) || (count == 0 && newer.count == 0)
    }
}
