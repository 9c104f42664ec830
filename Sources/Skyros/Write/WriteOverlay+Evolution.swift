extension WriteOverlay {
    /// The fields of a record that steps of its evolution changed, or its prototype supplied, and
    /// that the block left as these made them; sorted by their names.
    ///
    /// They are marked in the event: otherwise a migration looks like an edit.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func evolvedFields(from base: Row, to row: Row, _ table: Int) throws -> [String] {
        guard let type = self.base.tables[table].type else { return [] }
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
}
