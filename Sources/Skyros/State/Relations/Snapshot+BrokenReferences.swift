import SkyrosLog

/// References to records that do not exist: those of relations that were declared when the records
/// existed already.
extension Snapshot {
    /// All of them, in the order of the relations, targets and ids.
    ///
    /// - Complexity: O(n) in the references, and O(log n) for each record that is referred to.
    func findBrokenReferences() throws -> [RecordReference] {
        var found: [RecordReference] = []
        for table in tables {
            for relation in table.relations?.own ?? [] {
                try table.forEachBrokenReference(of: relation, to: tables[relation.target]) {
                    found.append(relation.reference(from: $0.id, to: $1))
                }
            }
        }
        return found
    }
}

extension Table {
    fileprivate func forEachBrokenReference(
        of relation: RelationDefinition, to targets: Table, _ body: (Row, RecordID) -> Void
    ) throws {
        // The current key, if it is an id itself, and whether there is a record with that id.
        var known: (id: RecordID, exists: Bool)?
        // Null is no reference.
        let first = IndexBTree.Bound(key: ByteString([IndexKey.Rank.false]), isInclusive: true)
        let tree = indexes[relation.index].tree
        try tree.visit(from: first, to: nil, reversed: false) { view, index in
            if index == 0 || known == nil || !view.haveSameKey(index - 1, index) {
                known = view.key(at: index).uuid.map { ($0, targets.row($0) != nil) }
            }
            if known?.exists == true { return true }
            try view.rows[index]._withUnsafeGuaranteedRef { row in
                // Without a type, what it refers to is not known: writes that depend on it throw.
                if type == nil, !indexes[relation.index].definition.canRead(row) { return }
                if let known { return body(row, known.id) }
                let key = view.key(at: index)
                let ids = try relation.targets(of: bytes(of: row, by: relation))
                for id in ids.withoutRepetitions() where targets.row(id) == nil {
                    if try id.isIndexed(as: key) { body(row, id) }
                }
            }
            return true
        }
    }
}

extension ByteString {
    /// The id whose index key this is, if it is a UUID.
    fileprivate var uuid: RecordID? {
        withUnsafeBytes { key in
            guard key.count == 17, key.first == IndexKey.Rank.uuid else { return nil }
            return RecordID(ByteString([0xD8, UInt8(CBORFormat.Tag.uuid), 0x50] + key.dropFirst()))
        }
    }
}

extension RecordID {
    /// Whether this is the index key of the id: the row of a list has one for each element.
    fileprivate func isIndexed(as key: ByteString) throws -> Bool {
        try bytes.withUnsafeBytes { try IndexKey.append($0, to: ByteString([])) == key }
    }
}
