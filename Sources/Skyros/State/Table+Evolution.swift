/// The records of a table in the shape in which their type reads them.
///
/// Every reader but the digest, the log and the checkpoint goes through these: those hold stored
/// facts only.
extension Table {
    /// A record's fields, and the version of their shape.
    struct Shape: Equatable {
        let bytes: [UInt8]
        let version: Int
    }

    /// Whether each row has the id that the steps make of its record. O(versions).
    ///
    /// The opening gives the rows of the newest state new ids; in a state of the past they have the
    /// ids that they had then.
    var areIDsNewest: Bool {
        guard !areFieldsCompared, let evolver, let oldest = olderRows.oldestVersion else {
            return true
        }
        return !evolver.mayChangeID(after: oldest)
    }

    /// What the steps make of a row. If they fail, what is stored: decoding it throws the error.
    ///
    /// O(1) for a row of the newest shape; otherwise the steps run the first time.
    func newestShape(of row: Row) -> Shape {
        guard let evolver, row.version < evolver.version,
            let bytes = try? row.bytes(evolvedBy: evolver, entity)
        else { return Shape(bytes: row.bytes, version: row.version) }
        return Shape(bytes: bytes, version: evolver.version)
    }

    /// The fields that the steps make of a row; if they fail, those that are stored.
    func bytes(of row: Row) -> [UInt8] { newestShape(of: row).bytes }

    /// The same of the record with this id; nil if there is none.
    func bytes(of id: RecordID) -> [UInt8]? { row(id).map { bytes(of: $0) } }

    /// The newest shape of the record with this id; nil if there is none.
    func newestShape(of id: RecordID) -> Shape? { row(id).map { newestShape(of: $0) } }

    /// A row as a record of the newest shape.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func record(_ row: Row) throws -> Record {
        let bytes = try evolver.map { try row.bytes(evolvedBy: $0, entity) } ?? row.bytes
        return Record(entity: entity, id: row.id, fields: Fields(trusted: bytes))
    }
}
