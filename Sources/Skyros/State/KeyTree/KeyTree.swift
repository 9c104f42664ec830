/// Rows in the order of their index keys: a persistent B+ tree, O(1) to copy.
///
/// Entries are ordered by key and, where keys are equal, by the row's id; an entry is identified by
/// both. Copies share the nodes that they have in common: a change copies those nodes on its path
/// that another copy of the tree also refers to, and changes all others in place. A copy never
/// sees the changes of another (P8).
///
/// All entries are in leaves of the same depth; branches hold separators of their own, so a row
/// is referred to once. `KeyTreeNode` says how keys are kept compact.
///
/// - Complexity: Inserting, removing and finding a place are O(log n); a scan adds O(1) an entry.
/// - Note: `@unchecked` because the nodes are mutable objects. They are changed only while one
///   reference to them exists, which is then the changing tree's own; what is shared is only read.
struct KeyTree: @unchecked Sendable {
    /// A key, and one of the rows that have it.
    struct Entry {
        let key: ByteString
        let row: Unmanaged<Row>
    }

    /// An end of a scan, compared with the keys alone.
    struct Bound {
        let key: ByteString
        let isInclusive: Bool

        init(key: ByteString, isInclusive: Bool) {
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    /// The number of entries. O(1).
    var count = 0

    var root: KeyTreeNode?

    init() {}

    /// Adds an entry, and returns the row that was under the same key and id until now, if any.
    @discardableResult
    mutating func insert(key: ByteString, row: Row) -> Row? {
        let replaced = withUnsafeMutablePointer(to: &root) { root in
            key.withUnsafeBytes { KeyTreeInsertion.insert(key: $0, row: row, atRoot: root) }
        }
        if replaced == nil { count += 1 }
        return replaced
    }

    /// Removes the entry with this key and id; false if there is none, and nothing changes.
    @discardableResult
    mutating func remove(key: ByteString, id: RecordID) -> Bool {
        guard contains(key: key, id: id) else { return false }
        withUnsafeMutablePointer(to: &root) { root in
            key.withUnsafeBytes { KeyTreeRemoval.remove(key: $0, id: id, atRoot: root) }
        }
        count -= 1
        return true
    }

    private func contains(key: ByteString, id: RecordID) -> Bool {
        guard let root else { return false }
        return key.withUnsafeBytes { bytes in
            var items = KeyTreeItems(Unmanaged.passUnretained(root))
            while !items.isLeaf {
                items = KeyTreeItems(items.child(at: items.childIndex(of: bytes, id)))
            }
            return items.place(of: bytes, id).isFound
        }
    }
}
