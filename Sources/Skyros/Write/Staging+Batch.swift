extension Staging {
    /// The block's net effect, checked against the unique indexes.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation`, naming every offender.
    func items() throws -> [CommandBatch.Item] {
        var items: [CommandBatch.Item] = []
        for table in tables {
            if table.isCleared, table.base.count > 0 {
                let change = Change.cleared(entity: table.entity, count: table.base.count)
                items.append(CommandBatch.Item(change: change, prepared: nil))
            }
            for id in table.order {
                guard let record = table.records[id] else { continue }
                if let item = try item(for: record, id, in: table) { items.append(item) }
            }
        }
        try checkUniqueness()
        return items
    }

    private func item(
        for record: Record, _ id: RecordID, in table: Table
    ) throws -> CommandBatch.Item? {
        let before = try record.base?.encoded()
        let prepared = PreparedRow(row: record.row, before: before, after: record.encoded)
        switch (before, record.encoded) {
        case (nil, nil):
            return nil
        case (nil, let after?):
            let inserted = Skyros.Record(
                entity: table.entity, id: id, fields: Fields(trusted: after))
            return CommandBatch.Item(change: .inserted(inserted), prepared: prepared)
        case (let before?, nil):
            let deleted = Skyros.Record(
                entity: table.entity, id: id, fields: Fields(trusted: before))
            return CommandBatch.Item(change: .deleted(deleted), prepared: prepared)
        case (let before?, let after?):
            guard let difference = try Fields.difference(from: before, to: after) else {
                return nil
            }
            let change = Change.updated(
                entity: table.entity, id: id, before: Fields(trusted: difference.before),
                after: Fields(trusted: difference.after))
            return CommandBatch.Item(change: change, prepared: prepared)
        }
    }

    /// Uniqueness is asked for when the block ends, so that its steps may stand in any order:
    /// two records can swap a unique value.
    private func checkUniqueness() throws {
        for table in tables {
            for index in table.base.indexes where index.definition.isUnique {
                try check(index, of: table)
            }
        }
    }

    private func check(_ index: TableIndex, of table: Table) throws {
        var keys: [(id: RecordID, key: ByteString)] = []
        var holderCounts: [ByteString: Int] = [:]
        for id in table.order {
            guard let after = table.records[id]?.encoded,
                let key = try index.definition.keyIfComplete(of: after)
            else { continue }
            keys.append((id, key))
            holderCounts[key, default: 0] += 1
        }
        let offenders = try keys.filter { id, key in
            if let count = holderCounts[key], count > 1 { return true }
            return try !table.isCleared && isHeld(key, besides: id, index, table)
        }.map(\.id)
        guard !offenders.isEmpty else { return }
        let names = index.definition.fields.joined(separator: ", ")
        throw StoreError(
            .uniqueViolation,
            "\(offenders.count) records of \(table.entity) would have the same \(names) as "
                + "another; nothing was written",
            at: StoreError.Place(entity: table.entity, ids: offenders))
    }

    /// Whether a record that held the key before the block, other than that of `id`, still does
    /// after it.
    private func isHeld(
        _ key: ByteString, besides id: RecordID, _ index: TableIndex, _ table: Table
    ) throws -> Bool {
        try index.rows(of: key).contains { row in
            guard row.id != id else { return false }
            guard let staged = table.records[row.id] else { return true }
            guard let after = staged.encoded else { return false }
            return try index.definition.keyIfComplete(of: after) == key
        }
    }
}
