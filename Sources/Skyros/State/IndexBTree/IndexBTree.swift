import SkyrosDisk

/// Rows in the order of their index keys: a persistent B+ tree, O(1) to copy.
///
/// Entries are ordered by key, and by the row's id where keys are equal; both together identify an
/// entry. Copies share nodes. A change copies the shared nodes on the path from the root to the
/// changed leaf, and changes all others in place. A copy never sees the changes of another (P8).
///
/// All entries are in leaves of the same depth; branches have separators, so a tree has one
/// reference to each row. `IndexBTreeNode` describes how keys are compressed.
///
/// - Complexity: Inserting, removing and finding a place are O(log n); a scan adds O(1) per entry.
struct IndexBTree: Sendable {
    typealias Root = ArenaRoot<IndexBTreeNode>

    /// An end of a scan, compared with keys only, not with ids.
    struct Bound {
        let key: ByteString
        let isInclusive: Bool
    }

    /// The number of entries. O(1).
    private(set) var count = 0

    private var top = Root()

    init() {}

    /// A tree of a root node, which it takes over, and `count` entries below it.
    init(root: IndexBTreeNode?, count: Int, in top: Root) {
        top.node.pointee = root
        self.top = top
        self.count = count
    }

    var root: IndexBTreeNode? { top.node.pointee }

    /// The bytes of the nodes of this tree, and of those that only its copies have.
    var nodeBytes: Int { top.memory.usedBytes }

    /// Adds an entry, and returns the row that it replaces under the same key and id, if any.
    @discardableResult
    mutating func insert(key: ByteString, row: Row) -> Row? {
        makeTopUnique()
        return key.withUnsafeBytes { key in
            let replaced = IndexBTreeInsertion.insert(
                key: key, row: row, atRoot: top.node, in: top.memory)
            if replaced == nil { count += 1 }
            if InvariantChecks.isEnabled { checkInvariants(near: key, row.id) }
            return replaced
        }
    }

    /// Removes the entry with this key and id; returns false if there is none.
    @discardableResult
    mutating func remove(key: ByteString, id: RecordID) -> Bool {
        guard let root else { return false }
        let levels = NodeView(root).height + 1
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: levels) { path in
            key.withUnsafeBytes { key in
                guard Self.find(key, id, below: root, recording: path) else { return false }
                makeTopUnique()
                IndexBTreeRemoval(path: path, memory: top.memory).remove(atRoot: top.node)
                count -= 1
                if InvariantChecks.isEnabled { checkInvariants(near: key, id) }
                return true
            }
        }
    }

    private mutating func makeTopUnique() {
        if !isKnownUniquelyReferenced(&top) { top = Root(sharing: top) }
    }

    /// Whether there is this entry; `path` gets the index in the node of each height that leads to
    /// it.
    private static func find(
        _ key: UnsafeRawBufferPointer, _ id: RecordID, below root: IndexBTreeNode,
        recording path: UnsafeMutableBufferPointer<Int>
    ) -> Bool {
        var view = NodeView(root)
        while !view.isLeaf {
            let index = view.childIndex(of: key, id)
            path[view.height] = index
            view = NodeView(view.children[index])
        }
        let place = view.place(of: key, id)
        path[0] = place.index
        return place.isFound
    }
}
