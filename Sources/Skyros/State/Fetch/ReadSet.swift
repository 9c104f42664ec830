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

    private var points: Set<Point> = []
    private var queries: [any RecordedQuery] = []
    private var wholeTables: Set<Int> = []
    private var isWholeState = false

    /// Records that a record was looked up; `table` is its table's index in the state.
    func note(_ id: RecordID, inTableAt table: Int) {
        points.insert(Point(table: table, id: id))
    }

    /// Records a query.
    func note(_ query: some RecordedQuery) {
        queries.append(query)
    }

    /// Records that all records of an entity were read.
    func noteAll(inTableAt table: Int) {
        wholeTables.insert(table)
    }

    /// Records that everything may have been read.
    func noteState() {
        isWholeState = true
    }

    /// The first read that has another answer in a later state; nil if there is none.
    ///
    /// What cannot be compared, because a filter or decoding throws, is taken for a conflict.
    ///
    /// - Parameter base: the state that was read. Its tables have the same indexes.
    /// - Complexity: O(ids log n), and O(queries × records that changed in their entity).
    func conflict(from base: Snapshot, to newer: Snapshot) -> ReadConflict? {
        if isWholeState, let table = base.firstDifference(from: newer) {
            return ReadConflict(entity: table, id: nil)
        }
        for table in wholeTables where !base.isTable(at: table, identicalIn: newer) {
            return ReadConflict(entity: base.tables[table].entity, id: nil)
        }
        for point in points {
            let before = base.tables[point.table].row(point.id)
            let after = newer.tables[point.table].row(point.id)
            guard Self.areSame(before, after) else {
                return ReadConflict(entity: base.tables[point.table].entity, id: point.id)
            }
        }
        return phantom(from: base, to: newer)
    }

    /// Whether two rows hold the same record, in the same shape: the steps from another one may
    /// make another record of the same bytes.
    private static func areSame(_ a: Row?, _ b: Row?) -> Bool {
        a === b || (a?.bytes == b?.bytes && a?.version == b?.version)
    }

    private func phantom(from base: Snapshot, to newer: Snapshot) -> ReadConflict? {
        for table in Set(queries.map(\.table)) {
            let queries = queries.filter { $0.table == table }
            var conflict: ReadConflict?
            let rows = base.tables[table].rows
            rows.forEachDifference(to: newer.tables[table].rows) { before, after in
                if Self.areSame(before, after) { return true }
                if queries.contains(where: { $0.isAffected(by: before, after) }) {
                    conflict = ReadConflict(
                        entity: base.tables[table].entity, id: before?.id ?? after?.id)
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
    /// Whether no record of the table at `index` was changed between this state and a later one.
    fileprivate func isTable(at index: Int, identicalIn newer: Snapshot) -> Bool {
        tables[index].rows.isIdentical(to: newer.tables[index].rows)
    }

    /// The entity of the first table that differs; nil if none does.
    fileprivate func firstDifference(from newer: Snapshot) -> String? {
        for index in newer.tables.indices {
            if tables.indices.contains(index) {
                if !isTable(at: index, identicalIn: newer) { return tables[index].entity }
            } else if newer.tables[index].count > 0 {
                return newer.tables[index].entity
            }
        }
        return nil
    }
}
