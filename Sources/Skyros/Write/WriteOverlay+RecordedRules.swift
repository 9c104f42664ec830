/// What the log records of entities without a type, and this version cannot keep.
extension WriteOverlay {
    /// Throws if rules that this version does not know concern the changes of a table: those of its
    /// entity, and for deletions, those of entities whose records may refer to it.
    ///
    /// - Throws: `StoreError` with `.unsupportedFormat`.
    func requireKnownRules(of table: StagedTable) throws {
        let entity = base.tables[table.index].entity
        try base.tables[table.index].recorded?.requireKnownRules(of: entity)
        guard base.acceptsEntities, deletes(from: table) else { return }
        // Nothing refers to a record if there are no records that could.
        for index in base.tables.indices where base.tables[index].count > 0 {
            try base.tables[index].recorded?.requireKnownRules(
                of: base.tables[index].entity, deletingFrom: entity)
        }
    }

    /// Whether records of a table that existed before the block may be missing after it.
    private func deletes(from table: StagedTable) -> Bool {
        if table.isCleared { return base.tables[table.index].count > 0 }
        return table.records.contains { $0.base != nil && $0.row == nil }
    }

    /// Throws if a record without a type would replace one of an older shape, and a closure of the
    /// app is among the steps from that to the newest: it would run on the new record, whatever
    /// its shape.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func requireReplaceable(_ record: Record, in index: Int) throws {
        let table = tables[index].index
        guard base.tables[table].type == nil, let recorded = base.tables[table].recorded,
            let row = lookUp(record.id, in: index).row, row.bytes != record.fields.bytes,
            recorded.evolver.needsCode(after: row.version)
        else { return }
        throw StoreError(
            .evolutionFailed,
            "\(record.entity) \(record.id) is stored in version \(row.version) of its shape, and a "
                + "closure of the app is among the steps to version \(recorded.evolver.version): "
                + "it would change the new fields too. Nothing was written; change the stored "
                + "fields with update(_:_:_:), or open the store with the app's types, or save "
                + "such records with the app first",
            at: StoreError.Place(entity: record.entity, ids: [record.id]))
    }
}
