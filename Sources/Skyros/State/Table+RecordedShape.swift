/// The records of a table without a type in the shape that the log has recorded.
///
/// Readers by name get them as they are stored. Indexes and relations are about the newest shape,
/// which the recorded steps make. A closure of the app is not recorded: what depends on a record
/// that needs one is refused.
extension Table {
    /// The fields of a row as the index of a relation sees them.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed` if only the app's type knows them.
    func bytes(of row: Row, by relation: RelationDefinition) throws -> [UInt8] {
        if type != nil { return bytes(of: row) }
        let definition = indexes[relation.index].definition
        guard let bytes = definition.bytes(of: row) else {
            throw unknownShape(of: [row.id], definition)
        }
        return bytes
    }

    /// A row in the newest shape, from which a relation's rule removes references.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed` if only the app's type knows it.
    func shapeToEdit(of row: Row, by relation: RelationDefinition) throws -> Shape {
        guard type == nil, let evolver = recorded?.evolver, row.version < evolver.version else {
            return newestShape(of: row)
        }
        guard let bytes = try? row.bytes(evolvedBy: evolver, entity) else {
            throw unknownShape(of: [row.id], indexes[relation.index].definition)
        }
        return Shape(bytes: bytes, version: evolver.version)
    }

    /// Throws if an index of a table without a type has records of which only the app's type knows
    /// the newest shape. O(1), and O(n) for the error.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`, naming them.
    func requireWhole(_ index: TableIndex) throws {
        if index.isWhole { return }
        var ids: [RecordID] = []
        rows.forEach { row in
            if index.definition.bytes(of: row) == nil { ids.append(row.id) }
            return true
        }
        throw unknownShape(of: ids.sorted(), index.definition)
    }

    /// The error of what depends on records whose newest shape only the app's type knows.
    func unknownShape(of ids: [RecordID], _ index: IndexDefinition) -> StoreError {
        StoreError(
            .evolutionFailed,
            "without the app's types it is not known what \(ids.listed(of: entity)) would hold in "
                + "\(index.fields.joined(separator: ", ")): the record has an older shape, and a "
                + "step to the newest one is a closure of the app, or fails. Nothing was written; "
                + "open the store with the app's types, or save such records with the app first",
            at: StoreError.Place(entity: entity, ids: ids, field: index.fields.first))
    }
}
