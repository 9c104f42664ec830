import SkyrosSQLite

/// A row of a checkpoint, on its way into memory.
package struct LoadedRow {
    package let entity: String
    package let number: Int64
    /// The canonical id; valid until the closure that got the row returns.
    package let id: UnsafeRawBufferPointer
    /// The canonical record; valid until the closure that got the row returns.
    package let record: UnsafeRawBufferPointer
}

extension CheckpointDatabase {
    /// Gives every row to `body`, entity by entity, in ascending order of their numbers.
    ///
    /// Rows come before the whole was proved: when the digest or a count turns out wrong at
    /// the end, it throws, and what was loaded has to be thrown away. O(content).
    ///
    /// - Returns: what the checkpoint says about itself; nil when nothing was ever written.
    /// - Throws: `corrupt` with entity and row where it is known, `unreadable`, and what
    ///   `body` throws.
    @discardableResult
    package func load(_ body: (LoadedRow) throws -> Void) throws -> CheckpointMeta? {
        do {
            return try connection.transaction(.deferred) {
                try refresh()
                for entity in catalog?.layout.entities ?? [] { try load(entity, body) }
                return catalog?.meta
            }
        } catch let error as SQLiteError {
            throw CheckpointError.reading(error)
        }
    }

    private func load(
        _ entity: CheckpointLayout.Entity, _ body: (LoadedRow) throws -> Void
    ) throws {
        let plan = RowPlan(entity.columns)
        let select = try connection.prepare(entity.selectSQL(plan, oneRow: false))
        var reader = RowReader(plan, entity: entity.name)
        var digest = StateDigest()
        var rowCount = 0
        while try select.step() {
            try reader.read(select)
            digest.add(reader.digest())
            rowCount += 1
            let number = reader.number
            try reader.withRow { id, record in
                let row = LoadedRow(entity: entity.name, number: number, id: id, record: record)
                try body(row)
            }
        }
        guard rowCount == entity.rowCount else {
            let description = "there are \(rowCount) rows and not \(entity.rowCount)"
            throw CheckpointError.damage(description, entity: entity.name)
        }
        guard digest == entity.digest else {
            throw CheckpointError.damage("the digest does not match", entity: entity.name)
        }
    }
}
