extension WriteOverlay {
    /// The fields of a record that steps of its evolution changed, or its prototype supplied, and
    /// that the block left as these made them; sorted by their names.
    ///
    /// They are marked in the event: otherwise a migration looks like an edit.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func evolvedFields(from base: Row, to row: Row, _ table: Int) throws -> [String] {
        guard let type = self.base.tables[table].type else {
            return try recordedFields(from: base, to: row, table)
        }
        func fields<E: Entity>(_ type: E.Type) throws -> [String] {
            guard base.version < row.version || PrototypeFields.exist(for: type) else { return [] }
            let stored = try base.bytes(for: type)
            let evolved = PrototypeFields.completing(stored, as: type) ?? stored
            let bySteps = try Fields.changedNames(from: base.bytes, to: evolved)
            if bySteps.isEmpty { return [] }
            let byBlock = try Fields.changedNames(from: evolved, to: row.bytes)
            return bySteps.filter { !byBlock.containsName($0) }
        }
        return try fields(type)
    }

    /// The same of a record without a type, which a relation's rule has brought to a newer shape.
    private func recordedFields(from base: Row, to row: Row, _ table: Int) throws -> [String] {
        guard base.version < row.version, let evolver = self.base.tables[table].recorded?.evolver,
            let evolved = try? base.bytes(evolvedBy: evolver, self.base.tables[table].entity)
        else { return [] }
        let byBlock = try Fields.changedNames(from: evolved, to: row.bytes)
        return try Fields.changedNames(from: base.bytes, to: evolved)
            .filter { !byBlock.containsName($0) }
    }
}
