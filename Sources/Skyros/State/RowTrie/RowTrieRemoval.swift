/// How a row gets out of a `RowTrie`, and how the map shrinks with its content.
struct RowTrieRemoval {
    /// A leaf gives memory back when it has room for so many more rows than it holds.
    private static let slackMax = 16

    let memory: NodeArena

    /// Removes the row with this id below `slot`, and returns it.
    ///
    /// - Parameter shift: That of the branch which `slot` belongs to; 0 for the root.
    func remove(_ id: RecordID, hash: UInt64, at slot: RowTrieSlot, shift: Int) -> Row? {
        slot.makeUnique(in: memory)
        guard let node = slot.pointee else { return nil }
        if node.isLeaf { return removeFromLeaf(id, hash: hash, at: slot, shift: shift) }

        let branch = RowTrieBranch(node)
        let index = branch.index(of: hash)
        let row = remove(id, hash: hash, at: branch.children + index, shift: branch.shift)
        mergeBlocks(around: index, of: branch)
        if branch.count == 1, isSmall(branch.children[0]) {
            slot.replace(by: raised(branch.children[0], shift: shift), in: memory)
        }
        return row
    }

    private func removeFromLeaf(
        _ id: RecordID, hash: UInt64, at slot: RowTrieSlot, shift: Int
    ) -> Row? {
        guard let node = slot.pointee else { return nil }
        let leaf = RowTrieLeaf(node)
        let fingerprint = RowTrieLeaf.fingerprint(hash, shift: shift)
        guard let index = leaf.index(of: id, fingerprint: fingerprint) else { return nil }
        let row = leaf.take(at: index).takeRetainedValue()
        if leaf.count == 0 {
            slot.replace(by: nil, in: memory)
        } else if leaf.capacity - leaf.count > Self.slackMax + leaf.count / 2 {
            slot.replace(by: leaf.moved(capacity: leaf.count + 1, in: memory), in: memory)
        }
        return row
    }

    /// Whether a child is absent, or a leaf with so few rows that it may merge with another.
    private func isSmall(_ child: RowTrieNode?) -> Bool {
        rowCount(child).map { $0 <= RowTrieLeaf.mergedRowsMax } ?? false
    }

    /// The number of rows of a leaf, 0 where no child is, nil for a branch.
    private func rowCount(_ child: RowTrieNode?) -> Int? {
        guard let child else { return 0 }
        return child.isLeaf ? RowTrieLeaf(child).count : nil
    }

    /// Merges the block of slots of a child with the other half of the block that it came from,
    /// and goes on with the merged block, while both halves together have few rows.
    private func mergeBlocks(around index: Int, of branch: RowTrieBranch) {
        var index = index
        while branch.count > 1 {
            let slots = branch.slots(of: index)
            let isLower = slots.lowerBound & slots.count == 0
            let lower = isLower ? index : index - 1
            let other = branch.slots(of: isLower ? index + 1 : lower)
            guard other.count == slots.count,
                let lowerCount = rowCount(branch.children[lower]),
                let upperCount = rowCount(branch.children[lower + 1]),
                lowerCount + upperCount <= RowTrieLeaf.mergedRowsMax
            else { return }

            mergeChildren(at: lower, of: branch, capacity: lowerCount + upperCount)
            branch.remove(at: lower + 1, slot: max(slots.lowerBound, other.lowerBound))
            index = lower
        }
    }

    /// Puts the rows of the child at `lower` and of the next one into a single leaf at `lower`,
    /// and leaves nothing in the place of the next one.
    private func mergeChildren(at lower: Int, of branch: RowTrieBranch, capacity: Int) {
        let children = branch.children
        guard let second = children[lower + 1] else { return }
        guard let first = children[lower] else {
            return swap(&children[lower], &children[lower + 1])
        }
        let merged = RowTrieNode.leaf(capacity: capacity, in: memory)
        for child in [first, second] {
            RowTrieLeaf(child).copyRows(to: RowTrieLeaf(merged), shift: branch.shift)
        }
        (children + lower).replace(by: merged, in: memory)
        (children + lower + 1).replace(by: nil, in: memory)
    }

    /// The leaf in place of a branch of which it is the only child.
    private func raised(_ child: RowTrieNode?, shift: Int) -> RowTrieNode? {
        guard let child else { return nil }
        let leaf = RowTrieLeaf(child)
        let node = RowTrieNode.leaf(capacity: leaf.count, in: memory)
        leaf.copyRows(to: RowTrieLeaf(node), shift: shift)
        return node
    }
}
