import SkyrosSQLite

extension CheckpointDatabase {
    /// Makes a table anew if steps of its entity's evolution gave a field another kind: the column
    /// has the kind of the newest version, also for the records of older ones.
    ///
    /// Call it in a transaction. O(rows of such tables).
    func retypeTables(
        of layout: inout TableLayout, _ schemas: NamedValues<EntitySchema>
    ) throws {
        for index in layout.entities.indices {
            let old = layout.entities[index]
            var entity = old
            guard let schema = schemas[old.name], entity.retypeColumns(schema.retypedFields) else {
                continue
            }
            // The writer's statements are those of the old table.
            writers[Array(old.name.utf8)] = nil
            layout.entities[index] = try copyRows(of: old, to: entity)
        }
    }

    private func copyRows(
        of old: TableLayout.Entity, to new: TableLayout.Entity
    ) throws -> TableLayout.Entity {
        var (renamed, empty) = (old, new)
        renamed.table = "_skyros_old"
        empty.digest = TableDigest()
        let names = (SQLName.quoted(old.table), SQLName.quoted(renamed.table))
        try connection.execute("ALTER TABLE \(names.0) RENAME TO \(names.1)")
        try connection.execute(empty.createSQL)
        let writer = try TableWriter(empty, exists: true, on: connection)
        do {
            let select = try connection.prepare(renamed.selectSQL)
            defer { select.reset() }
            var reader = RowReader(entity: old.name)
            while try select.step() { try writer.upsert(reader.read(select).row) }
        }
        try connection.execute("DROP TABLE \(names.1)")
        return writer.entity
    }
}

extension CheckpointDescription {
    /// Writes the kinds of columns that have another one than in the file.
    func writeKinds(over old: TableLayout, on connection: Connection) throws(SQLiteError) {
        for (entity, before) in zip(layout.entities, old.entities) {
            for (column, known) in zip(entity.columns, before.columns)
            where column.kind != known.kind {
                let update = try connection.prepare(
                    "UPDATE _skyros_columns SET kind = ?1 WHERE entity = ?2 AND field = ?3")
                try update.bind(string: column.kind.rawValue, at: 1)
                try update.bind(string: entity.name, at: 2)
                try update.bind(string: column.field, at: 3)
                try update.run()
            }
        }
    }
}
