import SkyrosLog

/// The look-up of records by what they refer to.
extension Table {
    /// The rows of this table that refer to a record, in the order of their ids. O(log n + rows).
    ///
    /// Rows are not decoded.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed` if the entity has no type, and records whose
    ///   references only the app's type knows.
    func referrers(by relation: RelationDefinition, to target: RecordID) throws -> [Row] {
        var found: [Row] = []
        try forEachReferrer(by: relation, to: target) { row in
            found.append(row)
            return true
        }
        return found
    }

    /// Calls `body` with each row that refers to a record, in the order of their ids, until it
    /// returns false. O(log n) for the first, O(1) for each further one.
    func forEachReferrer(
        by relation: RelationDefinition, to target: RecordID, _ body: (Row) throws -> Bool
    ) throws {
        if type == nil { try requireWhole(indexes[relation.index]) }
        let key = try target.bytes.withUnsafeBytes { try IndexKey.append($0, to: ByteString([])) }
        // Ids are the same if their bytes are. Keys may be equal for others: 1 and 1.0, and texts
        // of different scalars.
        let isExact = key.withUnsafeBytes { $0.first } == IndexKey.Rank.uuid
        let bound = IndexBTree.Bound(key: key, isInclusive: true)
        try indexes[relation.index].tree.scanRows(from: bound, to: bound) { row in
            guard try isExact || relation.refers(bytes(of: row, by: relation), to: target)
            else { return true }
            return try body(row)
        }
    }
}
