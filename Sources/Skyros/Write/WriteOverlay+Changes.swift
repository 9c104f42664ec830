extension WriteOverlay {
    /// Adds the block's net effect to a batch, and checks the unique indexes.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation`, naming every offender.
    func addChanges(to batch: inout CommandBatch) throws {
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
                if let change = try change(of: record, entity: entity, table: table) {
                    batch.append(change)
                }
            }
        }
        for table in tables where table.isChanged && base.tables[table.index].hasUniqueIndexes {
            try checkUniqueness(of: table)
        }
    }

    /// The net change of a record; nil if there is none.
    private func change(
        of record: StagedRecord, entity: String, table: Int
    ) throws -> StagedChange? {
        let before = try record.base?.encoded()
        if let row = record.row, let after = record.encoded {
            guard let change = try change(record.id, entity, from: before, to: after) else {
                return nil
            }
            return StagedChange(
                change: change, table: table,
                effect: .put(row, after: after, old: record.base, before: before))
        }
        guard let base = record.base, let before else { return nil }
        let deleted = Record(entity: entity, id: record.id, fields: Fields(trusted: before))
        return StagedChange(
            change: .deleted(deleted), table: table, effect: .remove(base, before: before))
    }

    private func change(
        _ id: RecordID, _ entity: String, from before: [UInt8]?, to after: [UInt8]
    ) throws -> Change? {
        guard let before else {
            return .inserted(Record(entity: entity, id: id, fields: Fields(trusted: after)))
        }
        guard let difference = try Fields.difference(from: before, to: after) else { return nil }
        return .updated(
            entity: entity, id: id, before: Fields(trusted: difference.before),
            after: Fields(trusted: difference.after))
    }

    /// Checks uniqueness when the block ends, so that its steps may come in any order: two records
    /// can swap a unique value.
    private func checkUniqueness(of table: StagedTable) throws {
        for index in base.tables[table.index].indexes where index.definition.isUnique {
            try check(index, of: table)
        }
    }

    private func check(_ index: TableIndex, of table: StagedTable) throws {
        var holders: [ByteString: Int] = [:]
        var positions: Set<Int> = []
        for (position, record) in table.records.enumerated() {
            guard let after = record.encoded,
                let key = try index.definition.keyIfComplete(of: after)
            else { continue }
            if let holder = holders[key] {
                positions.formUnion([holder, position])
                continue
            }
            holders[key] = position
            // All rows under the key count: the index may have been declared over duplicates.
            let isTaken =
                try !table.isCleared
                && index.contains(key) { row in
                    try row.id != record.id && keeps(key, row, index, table)
                }
            if isTaken { positions.insert(position) }
        }
        guard !positions.isEmpty else { return }
        let offenders = positions.sorted().map { table.records[$0].id }
        let entity = base.tables[table.index].entity
        let names = index.definition.fields.joined(separator: ", ")
        throw StoreError(
            .uniqueViolation,
            "\(offenders.count) records of \"\(entity)\" would have the same value of \(names) as "
                + "another record; nothing was written",
            at: StoreError.Place(entity: entity, ids: offenders))
    }

    /// Whether a row that had the key before the block still has it after the block.
    private func keeps(
        _ key: ByteString, _ other: Row, _ index: TableIndex, _ table: StagedTable
    ) throws -> Bool {
        guard let position = table.position(of: other.id) else { return true }
        guard let after = table.records[position].encoded else { return false }
        return try index.definition.keyIfComplete(of: after) == key
    }
}
