import SkyrosLog

/// The rewriting of the records of an entity whose id gets another type.
///
/// A record is found by its id, so steps that change it cannot wait for the first write: opening
/// deletes the records under their old ids and inserts them under the new ones, all in one event.
struct IdentityEvolution: Sendable {
    /// One record: the row under its old id, and the one under its new id.
    struct Rewriting: Sendable {
        let old: Row
        let new: Row
        /// The fields that the steps have changed.
        let evolved: [String]
    }

    let table: Int
    let rewritings: [Rewriting]

    /// The records to rewrite; nil if no step changes the id of records of this table.
    ///
    /// - Complexity: O(n) with decoding, if a step changes the ids.
    /// - Throws: `StoreError` with `.duplicateID` if two records would have the same id,
    ///   `.evolutionFailed`, `.notDecodable`.
    init?(_ table: Table, at index: Int, from stored: Int) throws {
        guard let type = table.type, let evolver = table.evolver,
            table.changesIDs(evolver, from: stored)
        else { return nil }
        self.table = index
        rewritings = try Self.rewritings(of: table, as: type, evolver)
    }

    private static func rewritings<E: Entity>(
        of table: Table, as type: E.Type, _ evolver: Evolver
    ) throws -> [Rewriting] {
        var rewritings: [Rewriting] = []
        var taken: [RecordID: RecordID] = [:]
        var number = table.nextNumber
        for row in table.sortedRows() {
            let bytes = try row.bytes(for: type)
            let id = try RecordCoding.changedID(of: type, bytes, row.id)
            if let other = taken.updateValue(row.id, forKey: id) {
                throw StoreError(
                    .duplicateID,
                    "the records \(other) and \(row.id) of \"\(table.entity)\" would both have the "
                        + "id \(id) in version \(evolver.version) of its shape. Nothing was "
                        + "changed; change one of them with the older version of the app",
                    at: StoreError.Place(entity: table.entity, ids: [other, row.id]))
            }
            guard id != row.id else { continue }
            let new = table.storedRow(
                id, hash: table.hash(id), number: number, version: evolver.version, bytes: bytes)
            number += 1
            let evolved = try Fields.changedNames(from: row.bytes, to: bytes)
            rewritings.append(Rewriting(old: row, new: new, evolved: evolved))
        }
        return rewritings
    }

    /// Adds the changes to a batch: all deletions first, as a new id may be another's old one.
    func addChanges(of entity: String, to batch: inout CommandBatch) {
        for rewriting in rewritings {
            let old = rewriting.old
            batch.append(
                StagedChange(
                    change: .deleted(
                        Record(entity: entity, id: old.id, fields: Fields(trusted: old.bytes))),
                    table: table, effect: .remove(old)))
        }
        for rewriting in rewritings {
            let new = rewriting.new
            batch.append(
                StagedChange(
                    change: .inserted(
                        Record(entity: entity, id: new.id, fields: Fields(trusted: new.bytes))),
                    table: table, effect: .put(new, old: nil), evolved: rewriting.evolved))
        }
    }
}

extension Table {
    /// This many records are brought to the newest shape, to see whether steps change the ids.
    private static let identitySampleCount = 256

    /// Whether steps after a version change the field that holds the ids.
    ///
    /// All records are older than such a step: it rewrites them all. So a sample of them shows it.
    fileprivate func changesIDs(_ evolver: Evolver, from version: Int) -> Bool {
        guard evolver.mayChangeID(after: version) else { return false }
        var (left, changes) = (Self.identitySampleCount, false)
        rows.forEach { row in
            let bytes = bytes(of: row)
            changes = row.idHolderCount(in: row.bytes) > row.idHolderCount(in: bytes)
            left -= 1
            return !changes && left > 0
        }
        return changes
    }
}

extension Row {
    /// The number of a record's fields that are equal to the row's id.
    fileprivate func idHolderCount(in record: [UInt8]) -> Int {
        record.withUnsafeBytes { record in
            id.bytes.withUnsafeBytes { id in
                (try? FieldValueBytes(id)?.holders(in: record).count) ?? 0
            }
        }
    }
}
