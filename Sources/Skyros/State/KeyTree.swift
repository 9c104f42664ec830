/// Rows by key: a persistent B+ tree, O(1) to copy, whose copies share what they have in common.
///
/// Entries are ordered by key, then by id, so several rows may have one key. A change copies the
/// nodes on its path that another copy of the tree also refers to, and changes all others in
/// place (promise P8).
///
/// - Complexity: O(log n) for all but scans.
struct KeyTree: Sendable {
    /// One end of a range of keys.
    struct Bound: Sendable {
        let key: ByteString
        let isInclusive: Bool

        init(_ key: ByteString, isInclusive: Bool) {
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    /// The number of entries.
    private(set) var count = 0
    var root = KeyNode()

    /// Adds a row under a key, or replaces the one with that key and that id.
    mutating func insert(key: ByteString, row: Row) {
        let entry = KeyEntry(key: key, row: row)
        let (split, isNew) = KeyNode.insert(entry, into: &root)
        if isNew { count += 1 }
        if let split { root = KeyNode(children: [root, split]) }
    }

    /// Removes the row with this key and this id; returns whether there was one.
    @discardableResult
    mutating func remove(key: ByteString, id: RecordID) -> Bool {
        guard contains(key: key, id: id) else { return false }
        KeyNode.remove(key, id, from: &root)
        if root.children.count == 1 { root = root.children[0] }
        count -= 1
        return true
    }

    /// Whether the row with this id stands under this key.
    func contains(key: ByteString, id: RecordID) -> Bool {
        var node = root
        while !node.isLeaf { node = node.children[node.childIndex(of: key, id)] }
        let index = node.lowerIndex(of: key, id)
        return index < node.entries.count && node.entries[index].key == key
            && node.entries[index].row.id == id
    }

    /// Calls `body` with the entries between the bounds, in ascending order or, if `reversed`,
    /// in descending order, until it returns false.
    func scan(
        from lower: Bound?, to upper: Bound?, reversed: Bool,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows {
        if reversed {
            _ = try root.scanDown(lower, upper, body)
        } else {
            _ = try root.scanUp(lower, upper, body)
        }
    }
}

/// A key and the row that stands under it.
struct KeyEntry: Sendable {
    let key: ByteString
    let row: Row

    func precedes(_ key: ByteString, _ id: RecordID) -> Bool {
        self.key == key ? row.id < id : self.key < key
    }
}
