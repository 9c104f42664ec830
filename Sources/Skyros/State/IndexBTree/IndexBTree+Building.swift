import SkyrosDisk

extension IndexBTree {
    /// Makes leaves of entries that arrive in order: full ones, or nearly so.
    ///
    /// No leaf has fewer than `dividedItemsMin` entries, unless all entries are fewer.
    struct LeafBuilder {
        private struct Entry {
            let key: UnsafeRawBufferPointer
            let row: Unmanaged<Row>
        }

        private let memory: NodeArena
        /// The number of entries that are still to be added.
        private var missingCount: Int
        private var pending: [Entry] = []
        private var leaves: [Child] = []

        /// Reserves memory for `count` entries.
        init(count: Int, in memory: NodeArena) {
            self.memory = memory
            missingCount = count
            pending.reserveCapacity(IndexBTreeNode.itemsMax)
            leaves.reserveCapacity(count / IndexBTreeNode.mergedItemsMax + 1)
        }

        /// Adds the next entry, taking over the reference to its row.
        ///
        /// - Parameter key: must stay valid until `finish` has returned.
        mutating func add(_ key: UnsafeRawBufferPointer, _ row: Unmanaged<Row>) {
            if pending.count == IndexBTreeNode.itemsMax {
                let end = leafEnd(before: key)
                addLeaf(of: pending[..<end])
                pending.removeFirst(end)
            }
            pending.append(Entry(key: key, row: row))
            missingCount -= 1
        }

        /// The leaves of all entries, each with its separator from the one before.
        mutating func finish() -> [Child] {
            precondition(missingCount == 0, "the number of entries differs from the one announced")
            if !pending.isEmpty { addLeaf(of: pending[...]) }
            return leaves
        }

        /// Where a leaf best ends: near the end of the pending entries, where neighbours have the
        /// shortest common prefix, so that both leaves have long prefixes.
        private func leafEnd(before next: UnsafeRawBufferPointer) -> Int {
            let last = pending.count + missingCount - IndexBTreeNode.dividedItemsMin
            var best = pending.count
            var leastShared = Int.max
            for end in (IndexBTreeNode.mergedItemsMax...min(pending.count, last)).reversed() {
                let following = end == pending.count ? next : pending[end].key
                let shared = pending[end - 1].key.commonPrefixCount(following)
                if shared < leastShared { (best, leastShared) = (end, shared) }
            }
            return best
        }

        private mutating func addLeaf(of entries: ArraySlice<Entry>) {
            guard let first = entries.first, let last = entries.last else { return }
            let node = IndexBTreeNode.make(
                height: 0, keyCounts: entries.lazy.map(\.key.count), lowest: first.key,
                highest: last.key, in: memory)
            let view = NodeView(node)
            for entry in entries { view.insert(entry.row, entry.key, at: view.count) }
            let separator = leaves.last.map { Separator.between(NodeView($0.node), view) }
            leaves.append(Child(separator: separator ?? .lowest, node: node))
        }
    }

    /// A tree of the leaves of two builders with the same memory, the lower ones first. O(leaves).
    static func joining(
        _ lower: [Child], _ upper: [Child], count: Int, in top: Root
    ) -> IndexBTree {
        var level = lower
        level.reserveCapacity(lower.count + upper.count)
        for leaf in upper {
            // The first leaf of the upper half was made without knowing the one before it.
            let isJoint = leaf.node == upper.first?.node
            let separator = level.last.map { last in
                isJoint ? .between(NodeView(last.node), NodeView(leaf.node)) : leaf.separator
            }
            level.append(Child(separator: separator ?? .lowest, node: leaf.node))
        }
        while level.count > 1 { level = branches(over: level, in: top.memory) }
        let tree = IndexBTree(root: level.first?.node, count: count, in: top)
        if InvariantChecks.isEnabled { tree.checkAllInvariants() }
        return tree
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
