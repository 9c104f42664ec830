extension IndexBTree {
    /// A tree of entries that are in order already, with full leaves, or nearly so. O(n).
    ///
    /// Takes over the entries' references to rows.
    ///
    /// - Precondition: The entries ascend by key, and by id where keys are equal, without repeats.
    static func build(from entries: some Sequence<Entry>) -> IndexBTree {
        let top = IndexBTreeRoot()
        var count = 0
        var level: [Child] = []
        var pending: [Entry] = []
        for entry in entries {
            if let last = pending.last {
                precondition(last.precedes(entry), "a tree is built in ascending order")
            }
            if pending.count == IndexBTreeNode.itemsMax {
                let end = leafEnd(in: pending, before: entry)
                addLeaf(of: pending[..<end], to: &level, in: top.memory)
                pending.removeFirst(end)
            }
            pending.append(entry)
            count += 1
        }
        if !pending.isEmpty { addLeaf(of: pending[...], to: &level, in: top.memory) }
        while level.count > 1 { level = branches(over: level, in: top.memory) }
        return IndexBTree(root: level.first?.node, count: count, in: top)
    }

    /// Where a leaf best ends: near the end of the entries, there where neighbours have least in
    /// common, so that both leaves have long prefixes.
    private static func leafEnd(in entries: [Entry], before next: Entry) -> Int {
        var best = entries.count
        var leastShared = Int.max
        for end in (IndexBTreeNode.mergedItemsMax...entries.count).reversed() {
            let behind = end == entries.count ? next : entries[end]
            let shared = entries[end - 1].key.withUnsafeBytes { last in
                behind.key.withUnsafeBytes { NodeRebuild.sharedCount(last, $0) }
            }
            if shared < leastShared { (best, leastShared) = (end, shared) }
        }
        return best
    }

    private static func addLeaf(
        of entries: ArraySlice<Entry>, to leaves: inout [Child], in memory: NodeArena
    ) {
        guard let first = entries.first, let last = entries.last else { return }
        let node = IndexBTreeNode.make(
            height: 0, keys: entries.lazy.map(\.key), lowest: first.key, highest: last.key,
            in: memory)
        let items = NodeView(node)
        for entry in entries {
            entry.key.withUnsafeBytes { key in
                items.insert(entry.row, key, at: items.count)
            }
        }
        let separator = leaves.last.map { Separator.between(NodeView($0.node), items) }
        leaves.append(Child(separator: separator ?? .lowest, node: node))
    }

    /// The children in branches of equal size, as few as can hold them.
    private static func branches(over children: [Child], in memory: NodeArena) -> [Child] {
        let branchCount = (children.count + IndexBTreeNode.itemsMax - 1) / IndexBTreeNode.itemsMax
        return (0..<branchCount).map { index in
            let start = children.count * index / branchCount
            let end = children.count * (index + 1) / branchCount
            let node = IndexBTreeNode.branch(over: children[start..<end], in: memory)
            return Child(separator: children[start].separator, node: node)
        }
    }
}

extension IndexBTree.Entry {
    fileprivate func precedes(_ other: IndexBTree.Entry) -> Bool {
        if key != other.key { return key < other.key }
        return row._withUnsafeGuaranteedRef { row in
            other.row._withUnsafeGuaranteedRef { other in row.id < other.id }
        }
    }
}
