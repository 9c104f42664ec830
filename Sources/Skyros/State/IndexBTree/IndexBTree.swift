/// Rows in the order of their index keys: a persistent B+ tree, O(1) to copy.
///
/// Entries are ordered by key and, where keys are equal, by the row's id; an entry is identified by
/// both. Copies share the nodes that they have in common: a change copies those nodes on its path
/// that another copy of the tree also refers to, and changes all others in place. A copy never
/// sees the changes of another (P8).
///
/// All entries are in leaves of the same depth; branches hold separators of their own, so a row
/// is referred to once. `IndexBTreeNode` says how keys are kept compact.
///
/// - Complexity: Inserting, removing and finding a place are O(log n); a scan adds O(1) an entry.
/// - Note: `@unchecked` because the nodes are mutable objects. They are changed only while one
///   reference to them exists, which is then the changing tree's own; what is shared is only read.
struct IndexBTree: @unchecked Sendable {
    /// An end of a scan, compared with the keys alone.
    struct Bound {
        let key: ByteString
        let isInclusive: Bool
    }

    /// The number of entries. O(1).
    private(set) var count = 0

    private var top = IndexBTreeRoot()

    init() {}

    /// A tree of a root and all that is below it, which it takes over.
    init(root: IndexBTreeNode?, count: Int, in top: IndexBTreeRoot) {
        top.node.pointee = root
        self.top = top
        self.count = count
    }

    var root: IndexBTreeNode? { top.node.pointee }

    /// The bytes that the nodes of this tree take, and those of its copies that it does not share.
    var nodeBytes: Int { top.memory.usedBytes }

    /// Adds an entry, and returns the row that was under the same key and id until now, if any.
    @discardableResult
    mutating func insert(key: ByteString, row: Row) -> Row? {
        key.withUnsafeBytes { insert(key: $0, row: row) }
    }

    /// The same, with a key that is valid for the call only.
    @discardableResult
    mutating func insert(key: UnsafeRawBufferPointer, row: Row) -> Row? {
        makeTopUnique()
        let replaced = IndexBTreeInsertion.insert(
            key: key, row: row, atRoot: top.node, in: top.memory)
        if replaced == nil { count += 1 }
        return replaced
    }

    /// Removes the entry with this key and id; false if there is none, and nothing changes.
    @discardableResult
    mutating func remove(key: ByteString, id: RecordID) -> Bool {
        key.withUnsafeBytes { remove(key: $0, id: id) }
    }

    /// The same, with a key that is valid for the call only.
    @discardableResult
    mutating func remove(key: UnsafeRawBufferPointer, id: RecordID) -> Bool {
        guard let root else { return false }
        let levels = NodeView(root).height + 1
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: levels) { path in
            guard Self.find(key, id, below: root, recording: path) else { return false }
            makeTopUnique()
            IndexBTreeRemoval(path: path, memory: top.memory).remove(atRoot: top.node)
            count -= 1
            return true
        }
    }

    private mutating func makeTopUnique() {
        if !isKnownUniquelyReferenced(&top) { top = IndexBTreeRoot(sharing: top) }
    }

    /// Whether there is this entry, and at which index of the node at each height the way leads on.
    private static func find(
        _ key: UnsafeRawBufferPointer, _ id: RecordID, below root: IndexBTreeNode,
        recording path: UnsafeMutableBufferPointer<Int>
    ) -> Bool {
        var items = NodeView(root)
        while !items.isLeaf {
            let index = items.childIndex(of: key, id)
            path[items.height] = index
            items = NodeView(items.children[index])
        }
        let place = items.place(of: key, id)
        path[0] = place.index
        return place.isFound
    }
}
