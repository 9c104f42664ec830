extension WriteOverlay {
    /// Adds the block's net effect to a batch, after enforcing the relations and checking the
    /// unique indexes.
    ///
    /// - Throws: `StoreError` with `.brokenReference`, `.deletionDenied` or `.uniqueViolation`,
    ///   naming every offender; `.evolutionFailed` and `.unsupportedFormat` for records without a
    ///   type.
    mutating func addChanges(to batch: inout CommandBatch) throws {
        try enforceRelations()
        // The next position for a table that the block adds. One without records is not added.
        var end = knownTableCount
        for index in tables.indices where tables[index].isChanged {
            let staged = tables[index]
            try requireKnownRules(of: staged)
            let isNew = staged.index >= knownTableCount
            let count = batch.changes.count
            try addChanges(of: staged, at: isNew ? end : staged.index, to: &batch)
            if isNew, batch.changes.count > count { end += 1 }
            if base.tables[staged.index].hasUniqueIndexes { try checkUniqueness(of: staged) }
        }
    }

    /// Adds what the block has got from outside the store, and what its command has returned.
    func addInputs(to batch: inout CommandBatch) {
        guard inputs.areKept || inputs.nowMicroseconds != nil else { return }
        batch.add(inputs.nowMicroseconds, ids: inputs.idBytes, output: inputs.output)
    }

    /// Adds the changes of a table, whose position in the next state is `table`.
    private func addChanges(
        of staged: StagedTable, at table: Int, to batch: inout CommandBatch
    ) throws {
        // A table is large: only these parts of it are copied.
        let entity = base.tables[staged.index].entity
        let evolves = base.tables[staged.index].evolver != nil
        if staged.isCleared { addClearing(of: staged.index, at: table, to: &batch) }
        for record in staged.records {
            if evolves { prepare(record, staged.index) }
            if let change = try change(of: record, entity: entity, table: table) {
                batch.append(change)
            }
        }
    }

    private func addClearing(of index: Int, at table: Int, to batch: inout CommandBatch) {
        let old = base.tables[index]
        guard old.count > 0 else { return }
        batch.append(
            StagedChange(
                change: .cleared(entity: old.entity, count: old.count), table: table,
                effect: .clear(count: old.count, old: old)))
    }

    /// Lets the steps run that indexes need, before the view is locked: a closure of the app may be
    /// among them.
    private func prepare(_ record: StagedRecord, _ table: Int) {
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
        if difference == nil, base.version != row.version {
            // The same fields in another shape: the event says so.
            difference = (Fields.none.bytes, Fields.none.bytes)
        }
        guard let difference else { return nil }
        return .updated(
            entity: entity, id: row.id, before: Fields(trusted: difference.before),
            after: Fields(trusted: difference.after))
    }
}
