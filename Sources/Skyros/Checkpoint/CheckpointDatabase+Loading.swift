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
        _ entity: TableLayout.Entity, _ body: (LoadedRow) throws -> Void
    ) throws {
        let plan = ColumnPlan(entity.columns)
        let select = try connection.prepare(entity.selectSQL(plan, oneRow: false))
        var reader = RowReader(plan, entity: entity.name)
        var tally = TableDigest()
        while try select.step() {
            try reader.read(select)
            let digest = reader.digest()
            let number = reader.number
            try reader.withRow { id, record in
                tally.add(number, id: id, digest)
                let row = LoadedRow(entity: entity.name, number: number, id: id, record: record)
                try body(row)
            }
        }
        try Self.compare(tally, with: entity)
    }

    /// Throws unless the rows that were read come to what is written down.
    private static func compare(
        _ tally: TableDigest, with entity: TableLayout.Entity
    ) throws(CheckpointError) {
        let expected = entity.tally
        guard tally.rowCount == expected.rowCount else {
            let description = "there are \(tally.rowCount) rows and not \(expected.rowCount)"
            throw .damage(description, entity: entity.name)
        }
        guard tally.digest == expected.digest else {
            throw .damage("the digest does not match", entity: entity.name)
        }
        guard tally.rowNumberHash == expected.rowNumberHash else {
            throw .damage("the row numbers do not match", entity: entity.name)
        }
    }
}
