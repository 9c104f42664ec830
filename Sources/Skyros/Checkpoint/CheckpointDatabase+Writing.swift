import SkyrosSQLite

extension CheckpointDatabase {
    /// Applies a batch and its position in one transaction: after a crash or an error, either all
    /// of it is in the file or nothing (promise P7).
    ///
    /// The digests are updated incrementally. O(rows of the batch). If the row counts are not those
    /// that the batch states, it is not committed.
    ///
    /// - Returns: the new description.
    /// - Throws: `unwritable`, `corrupt`, `invalidRecord`, `limitExceeded`, and what the
    ///   closures of the batch throw.
    @discardableResult
    func write(
        _ batch: CheckpointBatch, at position: CheckpointPosition
    ) throws -> CheckpointDescription {
        precondition(
            position.storeID.count == CheckpointPosition.storeIDBytes, "A store id has 16 bytes.")
        do {
            let next = try connection.transaction { try apply(batch, at: position) }
            known = next
            return next
        } catch {
            forget()
            throw (error as? SQLiteError).map { CheckpointError.writing($0) } ?? error
        }
    }

    private func apply(
        _ batch: CheckpointBatch, at position: CheckpointPosition
    ) throws -> CheckpointDescription {
        try refresh()
        let old = known?.layout ?? TableLayout()
        var next = CheckpointDescription(
            layout: old, position: position, schemas: batch.schemas)
        if known == nil {
            try CheckpointDescription.create(on: connection)
            next.layout = template.withoutRows
            for entity in next.layout.entities { try connection.execute(entity.createSQL) }
        }
        for changes in batch.changes {
            try apply(changes, to: &next.layout)
        }
        // The first record decides a new column's kind, and may be of an older version.
        try retypeTables(of: &next.layout, batch.schemas)
        for index in next.layout.entities.indices {
            if let indexes = batch.indexes[next.layout.entities[index].name] {
                next.layout.entities[index].indexes = indexes
            }
        }
        next.keys = try apply(keysOf: batch)
        next.projections = try apply(projectionsOf: batch, at: position)
        if let rowCounts = batch.rowCounts { try next.layout.checkRowCounts(rowCounts) }
        try next.write(over: old, on: connection)
        return next
    }

    private func apply(
        _ changes: CheckpointBatch.EntityChanges, to layout: inout TableLayout
    ) throws {
        let writer = try writer(for: changes.entity, layout)
        if changes.isCleared { try writer.clear() }
        for number in changes.deletions { try writer.delete(number) }
        try changes.forEachUpsert { row in try writer.upsert(row) }
        guard writer.tableExists else { return }
        if let index = layout.index(ofEntity: changes.entity) {
            layout.entities[index] = writer.entity
        } else {
            layout.entities.append(writer.entity)
        }
    }

    private func writer(
        for name: String, _ layout: TableLayout
    ) throws(SQLiteError) -> TableWriter {
        let key = Array(name.utf8)
        if let writer = writers[key], writer.tableExists { return writer }
        let writer: TableWriter
        if let index = layout.index(ofEntity: name) {
            writer = try TableWriter(layout.entities[index], exists: true, on: connection)
        } else {
            var extended = layout
            let entity = extended.addEntity(name)
            writer = try TableWriter(extended.entities[entity], exists: false, on: connection)
        }
        writers[key] = writer
        return writer
    }
}

extension TableLayout {
    /// Throws if a change is missing: the digests cover only what was written.
    fileprivate func checkRowCounts(_ expected: NamedValues<Int>) throws(CheckpointError) {
        var missing = expected
        for entity in entities {
            let count = missing[entity.name] ?? 0
            missing[entity.name] = nil
            guard entity.digest.rowCount == count else {
                throw .damage(
                    "it would hold \(entity.digest.rowCount) rows, the snapshot has \(count)",
                    entity: entity.name)
            }
        }
        if let (name, count) = missing.first(where: { $0.value > 0 }) {
            throw .damage("it would hold no rows, the snapshot has \(count)", entity: name)
        }
    }
}
