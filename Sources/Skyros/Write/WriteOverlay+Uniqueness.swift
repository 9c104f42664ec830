extension WriteOverlay {
    /// Checks uniqueness when the block ends, so that its steps may come in any order: two records
    /// can swap a unique value.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation`, naming every offender; `.evolutionFailed` if
    ///   that depends on records without a type, of an older shape.
    func checkUniqueness(of table: StagedTable) throws {
        for index in base.tables[table.index].indexes where index.definition.isUnique {
            try requireKnownKeys(of: table, index)
            try check(index, of: table)
        }
    }

    /// Throws if a record that the block writes, or one with which it must be compared, has no type
    /// and an older shape, which only the app's type brings to the newest.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    private func requireKnownKeys(of table: StagedTable, _ index: TableIndex) throws {
        guard base.tables[table.index].type == nil else { return }
        for record in table.records {
            guard let row = record.row, !row.isSameRecord(as: record.base) else { continue }
            guard index.definition.canRead(row) else {
                throw base.tables[table.index].unknownShape(of: [row.id], index.definition)
            }
            let key = try index.definition.currentKey(of: row)
            let before = try record.base.flatMap { try index.definition.currentKey(of: $0) }
            if key != nil, key != before { try base.tables[table.index].requireWhole(index) }
        }
    }

    private func check(_ index: TableIndex, of table: StagedTable) throws {
        var holders: [ByteString: Int] = [:]
        var positions: Set<Int> = []
        for (position, record) in table.records.enumerated() {
            guard let row = record.row,
                let key = try index.definition.currentKey(of: row)
            else { continue }
            try noteIfOlder(row, key, index)
            if let holder = holders[key] {
                let pair = [holder, position]
                if try pair.contains(where: { try !had(key, table.records[$0], index) }) {
                    positions.formUnion(pair)
                }
                continue
            }
            holders[key] = position
            if try isTaken(key, from: record, index, table) { positions.insert(position) }
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

    /// Whether a record that the block did not change has the key, and the record had another one.
    ///
    /// The index may have been declared over duplicates: a record that keeps its value is not
    /// refused for them.
    private func isTaken(
        _ key: ByteString, from record: StagedRecord, _ index: TableIndex, _ table: StagedTable
    ) throws -> Bool {
        guard !table.isCleared else { return false }
        func isOther(_ row: Row) throws -> Bool {
            try row.id != record.id && keeps(key, row, index, table)
        }
        let rows = base.tables[table.index]
        let isTaken =
            try index.contains(key, where: isOther)
            || index.olderRecords(with: key).contains { id in
                try rows.row(id).map(isOther) ?? false
            }
        return try isTaken && !had(key, record, index)
    }

    /// Whether the record had the key before the block.
    private func had(
        _ key: ByteString, _ record: StagedRecord, _ index: TableIndex
    ) throws -> Bool {
        guard let before = record.base else { return false }
        return try index.definition.currentKey(of: before) == key
    }

    /// Whether a row that had the key before the block still has it after the block.
    private func keeps(
        _ key: ByteString, _ other: Row, _ index: TableIndex, _ table: StagedTable
    ) throws -> Bool {
        let position = table.position(of: other.id)
        guard let row = position.map({ table.records[$0].row }) ?? other else { return false }
        return try index.definition.currentKey(of: row) == key
    }

    /// Remembers a written record that the index does not find by its key.
    private func noteIfOlder(_ row: Row, _ key: ByteString, _ index: TableIndex) throws {
        if try index.definition.isOlder(index.definition.checkedKey(of: row)) {
            index.definition.binding?.olderKeys.add(key, of: row.id)
        }
    }
}
