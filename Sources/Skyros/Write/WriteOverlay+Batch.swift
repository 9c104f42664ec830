extension WriteOverlay {
    /// Adds the block's net effect, checked against the unique indexes, to a batch.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation`, naming every offender.
    func gather(in batch: inout CommandBatch) throws {
        for index in tables.indices where tables[index].isTouched {
            let baseIndex = tables[index].index
            let entity = base.tables[baseIndex].entity
            if tables[index].isCleared, base.tables[baseIndex].count > 0 {
                batch.append(.cleared(entity: entity, count: base.tables[baseIndex].count), nil)
                batch.keep(base.tables[baseIndex])
            }
            for record in tables[index].records {
                try append(record, of: entity, to: &batch)
            }
        }
        for table in tables where table.isTouched && base.tables[table.index].hasUniqueIndexes {
            try checkUniqueness(of: table)
        }
    }

    private func append(
        _ record: Record, of entity: String, to batch: inout CommandBatch
    ) throws {
        let before = try record.base?.encoded()
        let prepared = StagedChange(
            row: record.row, base: record.base, before: before, after: record.encoded)
        switch (before, record.encoded) {
        case (nil, nil):
            return
        case (nil, let after?):
            let inserted = Skyros.Record(
                entity: entity, id: record.id, fields: Fields(trusted: after))
            batch.append(.inserted(inserted), prepared)
        case (let before?, nil):
            let deleted = Skyros.Record(
                entity: entity, id: record.id, fields: Fields(trusted: before))
            batch.append(.deleted(deleted), prepared)
        case (let before?, let after?):
            guard let difference = try Fields.difference(from: before, to: after) else { return }
            let change = Change.updated(
                entity: entity, id: record.id, before: Fields(trusted: difference.before),
                after: Fields(trusted: difference.after))
            batch.append(change, prepared)
        }
    }

    /// Uniqueness is asked for when the block ends, so that its steps may stand in any order:
    /// two records can swap a unique value.
    private func checkUniqueness(of table: Table) throws {
        for index in base.tables[table.index].indexes where index.definition.isUnique {
            try check(index, of: table)
        }
    }

    private func check(_ index: TableIndex, of table: Table) throws {
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
            // All rows are asked: the index may have been declared over records that break it.
            let isTaken =
                try !table.isCleared
                && index.contains(key) { row in
                    try row.id != record.id && isStillThere(row, holding: key, index, table)
                }
            if isTaken { positions.insert(position) }
        }
        guard !positions.isEmpty else { return }
        let offenders = positions.sorted().map { table.records[$0].id }
        let entity = base.tables[table.index].entity
        let names = index.definition.fields.joined(separator: ", ")
        throw StoreError(
            .uniqueViolation,
            "\(offenders.count) records of \(entity) would have the same \(names) as "
                + "another; nothing was written",
            at: StoreError.Place(entity: entity, ids: offenders))
    }

    /// Whether a record that held the key before the block still does after it.
    private func isStillThere(
        _ other: Row, holding key: ByteString, _ index: TableIndex, _ table: Table
    ) throws -> Bool {
        guard let position = table.position(of: other.id) else { return true }
        guard let after = table.records[position].encoded else { return false }
        return try index.definition.keyIfComplete(of: after) == key
    }
}
