/// Records that share the values of a unique index, which was declared when they existed already.
extension Snapshot {
    /// All of them, and the keys of records of an older shape, by which unique indexes find these
    /// from now on.
    ///
    /// - Complexity: O(n) for each unique index, with decoding for records of an older shape.
    func findDuplicates() throws -> [DuplicateRecords] {
        try tables.flatMap { table in
            try table.indexes.filter(\.definition.isUnique).flatMap { try table.duplicates(in: $0) }
        }
    }

    /// Collects the keys of records of an older shape, by which unique indexes find these from now
    /// on: others have written the records.
    ///
    /// - Complexity: O(1) for each unique index without such records, otherwise O(n), with decoding
    ///   for them.
    func collectOlderKeys() throws {
        for table in tables {
            for index in table.indexes where index.definition.isUnique {
                try table.collectOlderKeys(of: index)
            }
        }
    }

    /// The same for the records that changes have written.
    func collectOlderKeys(of changes: [StagedChange]) throws {
        for change in changes {
            guard case .put(let row, _) = change.effect else { continue }
            for index in tables[change.table].indexes
            where index.definition.isUnique && index.mayHaveOlderKeys {
                try index.definition.noteIfOlder(row)
            }
        }
    }
}

extension TableIndex {
    /// Whether some record may have another key than the index has of it.
    fileprivate var mayHaveOlderKeys: Bool {
        definition.binding.map { !isFaithful || $0.isRefuted } ?? false
    }
}

extension IndexDefinition {
    /// Remembers the key that is read from a row of an older shape.
    fileprivate func noteIfOlder(_ row: Row) throws {
        guard let binding, try isOlder(checkedKey(of: row)),
            let key = binding.key(reading: bytes(of: row) ?? row.bytes)
        else { return }
        binding.olderKeys.add(key, of: row.id)
    }
}

extension Table {
    fileprivate func duplicates(in index: TableIndex) throws -> [DuplicateRecords] {
        try collectOlderKeys(of: index)
        var groups: [ByteString: Set<RecordID>] = [:]
        try index.tree.forEachSharedKey { row in
            guard let key = try index.definition.currentKey(of: row) else {
                // One with unknown values has a key by chance: others may share it rightly.
                return !index.definition.canRead(row)
            }
            groups[key, default: []].insert(row.id)
            return true
        }
        for (key, ids) in index.definition.binding?.olderKeys.all ?? [:] {
            groups[key, default: []].formUnion(ids)
            _ = try index.contains(key) { row in
                if try index.definition.currentKey(of: row) == key {
                    groups[key, default: []].insert(row.id)
                }
                return false
            }
        }
        return groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { key, ids in
                let ids = ids.sorted()
                let values = index.definition.fields.map { name in
                    row(ids[0]).flatMap {
                        Fields(trusted: index.definition.bytes(of: $0) ?? $0.bytes)[name]
                    } ?? .null
                }
                return DuplicateRecords(
                    entity: entity, fields: index.definition.fields, values: values, ids: ids)
            }
    }

    fileprivate func collectOlderKeys(of index: TableIndex) throws {
        guard index.mayHaveOlderKeys else { return }
        try rows.forEach { row in
            try index.definition.noteIfOlder(row)
            return true
        }
    }
}
