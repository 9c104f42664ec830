/// A state in which the records have the newest shapes that can be reached without the app's types.
package struct EvolvedState {
    /// The state.
    package private(set) var state: Snapshot
    /// The number of records that have an older shape still, by entity: a closure of the app leads
    /// to the newest one, or a step failed.
    package private(set) var heldBack = NamedValues<Int>()

    /// Applies the steps that the log has recorded, as far as they need no closure. O(records of
    /// entities that evolve).
    package init(_ stored: Snapshot) throws {
        state = stored
        for index in stored.tables.indices {
            let table = stored.tables[index]
            guard table.type == nil, let schema = stored.schemas[table.entity],
                schema.version > Evolver.firstVersion
            else { continue }
            let evolver = schema.declarative
            var count = 0
            for row in table.sortedRows() where row.version < schema.version {
                let bytes = try? row.bytes(evolvedBy: evolver, table.entity)
                let version = max(row.version, bytes == nil ? row.version : evolver.version)
                if version < schema.version { count += 1 }
                guard let bytes, bytes != row.bytes else { continue }
                let new = table.storedRow(
                    row.id, hash: row.hash, number: row.number, version: version, bytes: bytes)
                try state.tables[index].put(new, replacing: row)
            }
            if count > 0 { heldBack[table.entity] = count }
        }
    }
}
