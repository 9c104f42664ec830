extension WriteOverlay {
    /// Adds the block's net effect to a batch, after enforcing the relations and checking the
    /// unique indexes.
    ///
    /// - Throws: `StoreError` with `.brokenReference`, `.deletionDenied` or `.uniqueViolation`,
    ///   naming every offender.
    mutating func addChanges(to batch: inout CommandBatch) throws {
        try enforceRelations()
        for index in tables.indices where tables[index].isChanged {
            let table = tables[index].index
            let entity = base.tables[table].entity
            if tables[index].isCleared, base.tables[table].count > 0 {
                let old = base.tables[table]
                batch.append(
                    StagedChange(
                        change: .cleared(entity: entity, count: old.count), table: table,
                        effect: .clear(count: old.count, old: old)))
            }
            for record in tables[index].records {
                try prepare(record, table)
                if let change = try change(of: record, entity: entity, table: table) {
                    batch.append(change)
                }
            }
        }
        for table in tables where table.isChanged && base.tables[table.index].hasUniqueIndexes {
            try checkUniqueness(of: table)
        }
    }

    /// Lets the steps run that indexes need, before the view is locked: a closure of the app may be
    /// among them.
    private func prepare(_ record: StagedRecord, _ table: Int) throws {
        for index in base.tables[table].indexes {
            _ = record.row.flatMap { index.definition.bytes(of: $0) }
            _ = record.base.flatMap { index.definition.bytes(of: $0) }
        }
    }

    /// The net change of a record; nil if there is none.
    private func change(
        of record: StagedRecord, entity: String, table: Int
    ) throws -> StagedChange? {
        if let row = record.row {
            guard let change = try change(entity, from: record.base, to: row) else { return nil }
            return StagedChange(
                change: change, table: table, effect: .put(row, old: record.base),
                evolved: try record.base.map { try evolvedFields(from: $0, to: row, table) } ?? [])
        }
        guard let base = record.base else { return nil }
        let deleted = Record(entity: entity, id: record.id, fields: Fields(trusted: base.bytes))
        return StagedChange(change: .deleted(deleted), table: table, effect: .remove(base))
    }

    private func change(_ entity: String, from base: Row?, to row: Row) throws -> Change? {
        guard let base else {
            let record = Record(entity: entity, id: row.id, fields: Fields(trusted: row.bytes))
            return .inserted(record)
        }
        var difference = try Fields.difference(from: base.bytes, to: row.bytes)
        if difference == nil, base.version < row.version {
            // The same fields in a newer shape: the event says so.
            difference = (Fields.none.bytes, Fields.none.bytes)
        }
        guard let difference else { return nil }
        return .updated(
            entity: entity, id: row.id, before: Fields(trusted: difference.before),
            after: Fields(trusted: difference.after))
    }
}
