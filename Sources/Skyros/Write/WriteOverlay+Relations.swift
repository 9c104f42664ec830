/// The relations of the records that a write block has changed, which are enforced when it ends, so
/// that its steps may come in any order.
extension WriteOverlay {
    /// Deletes and changes what the rules say for the deleted records, and checks the references
    /// of the changed ones.
    ///
    /// A rule concerns references that existed before the block. A reference that the block itself
    /// has made must lead to a record that exists when it ends.
    ///
    /// - Throws: `StoreError` with `.deletionDenied` or `.brokenReference`, naming every offender;
    ///   `.evolutionFailed` if that depends on records without a type, of an older shape.
    mutating func enforceRelations() throws {
        let isConcerned = tables.contains { table in
            table.isChanged && base.tables[table.index].relations != nil
        }
        guard isConcerned else { return }
        listDeletionsOfClearedTables()
        var effects = DeletionEffects(deletedRecords)
        while let deleted = effects.nextDeletion() {
            for relation in relations(of: deleted.table)?.incoming ?? [] {
                try follow(relation, to: deleted.id, &effects)
            }
        }
        for edit in effects.edits { try apply(edit) }
        try refuseDenied(effects.denials)
        try checkReferences()
    }

    private func relations(of table: Int) -> EntityRelations? { base.tables[table].relations }

    /// The row as the block sees it.
    private func row(_ id: RecordID, in table: Int) -> Row? {
        for index in tables.indices where tables[index].index == table {
            if let position = tables[index].position(of: id) {
                return tables[index].records[position].row
            }
            if tables[index].isCleared { return nil }
        }
        return base.tables[table].row(id)
    }

    /// The fields of a row that refers to others, in the newest shape.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed` if only the app's type knows them.
    private func bytes(of row: Row, _ relation: RelationDefinition) throws -> [UInt8] {
        try base.tables[relation.table].bytes(of: row, by: relation)
    }

    // MARK: Deletions

    /// Of an entity to whose records others may refer, each deletion is a change.
    ///
    /// If only its own records refer to them, and the block has put none back, none is left.
    private mutating func listDeletionsOfClearedTables() {
        for index in tables.indices where tables[index].isCleared {
            guard let relations = relations(of: tables[index].index) else { continue }
            let isEmpty = tables[index].records.isEmpty
            guard relations.isReferredToByOthers || !(isEmpty || relations.incoming.isEmpty)
            else { continue }
            listDeletions(at: index)
        }
    }

    /// The records that existed before the block and do not exist now, of entities to which others
    /// refer.
    private var deletedRecords: [RecordKey] {
        var deleted: [RecordKey] = []
        for table in tables where relations(of: table.index)?.incoming.isEmpty == false {
            for record in table.records where record.base != nil && record.row == nil {
                deleted.append(RecordKey(table: table.index, id: record.id))
            }
        }
        return deleted
    }

    /// Applies the rule of a relation to the records that refer to a deleted one.
    private mutating func follow(
        _ relation: RelationDefinition, to id: RecordID, _ effects: inout DeletionEffects
    ) throws {
        for before in try base.tables[relation.table].referrers(by: relation, to: id) {
            guard let row = row(before.id, in: relation.table),
                try row === before || relation.refers(bytes(of: row, relation), to: id)
            else { continue }
            let key = RecordKey(table: relation.table, id: row.id)
            switch relation.description.rule {
            case .cascade:
                let index = index(ofBase: relation.table)
                remove(lookUp(row.id, in: index), in: index)
                effects.delete(key)
            case .nullify, .remove: effects.edit(key, relation, removing: id)
            case .deny: effects.deny(key, relation, id)
            }
        }
    }

    /// Removes references to deleted records from a record, unless it is deleted too.
    private mutating func apply(_ edit: DeletionEffects.Edit) throws {
        let index = index(ofBase: edit.record.table)
        let found = lookUp(edit.record.id, in: index)
        guard let row = found.row else { return }
        let shape = try base.tables[edit.record.table].shapeToEdit(of: row, by: edit.relation)
        let bytes = try edit.relation.removing(edit.targets, from: shape.bytes)
        put(bytes, at: found, version: shape.version, in: index)
    }

    private func refuseDenied(_ denials: [DeletionEffects.Denial]) throws {
        let references = try denials.compactMap { denial -> RecordReference? in
            // The referrer may have been deleted by another rule.
            guard let row = row(denial.record.id, in: denial.record.table),
                try denial.relation.refers(
                    bytes(of: row, denial.relation), to: denial.target)
            else { return nil }
            return denial.relation.reference(from: row.id, to: denial.target)
        }
        guard let first = references.first else { return }
        throw StoreError(
            .deletionDenied,
            "\(references.count) references deny the deletion of the records that they lead to: "
                + "\(references.listed()). Nothing was written; delete or change the records "
                + "that refer to them in the same block",
            at: StoreError.Place(
                entity: first.entity, ids: references.map(\.id).withoutRepetitions(),
                field: first.field, references: references))
    }

    // MARK: References

    /// Checks the references that the block has made.
    private func checkReferences() throws {
        var broken: [RecordReference] = []
        for table in tables {
            guard let relations = relations(of: table.index), !relations.own.isEmpty else {
                continue
            }
            for record in table.records {
                guard let row = record.row else { continue }
                for relation in relations.own {
                    broken += try brokenReferences(of: row, since: record.base, relation)
                }
            }
        }
        guard let first = broken.first else { return }
        throw StoreError(
            .brokenReference,
            "\(broken.count) references would lead to records that do not exist: "
                + "\(broken.listed()). Nothing was written; insert the missing records in the "
                + "same block, or do not refer to them",
            at: StoreError.Place(
                entity: first.entity, ids: broken.map(\.id).withoutRepetitions(),
                field: first.field, references: broken))
    }

    /// The references of a row to records that do not exist, of those that `before` does not have.
    private func brokenReferences(
        of row: Row, since before: Row?, _ relation: RelationDefinition
    ) throws -> [RecordReference] {
        if base.tables[relation.table].type == nil, row.isSameRecord(as: before) { return [] }
        let bytes = try bytes(of: row, relation)
        let bytesBefore = try before.map { try self.bytes(of: $0, relation) }
        if let bytesBefore, try relation.areEqual(bytes, bytesBefore) { return [] }
        var missing: [RecordID] = []
        try relation.forEachTarget(of: bytes) { target in
            if self.row(target, in: relation.target) == nil { missing.append(target) }
        }
        if missing.isEmpty { return [] }
        // What was broken before the block is not its fault.
        let known = Set(try bytesBefore.map { try relation.targets(of: $0) } ?? [])
        return missing.withoutRepetitions().filter { !known.contains($0) }
            .map { relation.reference(from: row.id, to: $0) }
    }
}
