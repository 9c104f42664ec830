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
}
