/// The removal of a row from a `RowTrie`, which shrinks with its contents.
struct RowTrieRemoval {
    /// A leaf with more free places than this, and half its rows, is replaced by a smaller one.
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
            slot.replace(by: merged([branch.children[0]], shift: shift), in: memory)
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

    /// The number of rows of a leaf, 0 for an absent child, nil for a branch.
    private func rowCount(_ child: RowTrieNode?) -> Int? {
        guard let child else { return 0 }
        return child.isLeaf ? RowTrieLeaf(child).count : nil
    }

    /// Merges the block of slots of a child with its buddy, the other half of the next larger
    /// block, and repeats that with the merged block, while both halves together have few rows.
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

            let children = branch.children + lower
            children.replace(
                by: merged([children[0], children[1]], shift: branch.shift), in: memory)
            (children + 1).replace(by: nil, in: memory)
            branch.remove(at: lower + 1, slot: max(slots.lowerBound, other.lowerBound))
            index = lower
        }
    }

    /// A new leaf with the rows of these leaves, which keep theirs; nil if there are none.
    private func merged(_ children: [RowTrieNode?], shift: Int) -> RowTrieNode? {
        let leaves = children.compactMap { child in child.map { RowTrieLeaf($0) } }
        let count = leaves.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        let node = RowTrieNode.leaf(capacity: count, in: memory)
        for leaf in leaves { leaf.copyRows(to: RowTrieLeaf(node), shift: shift) }
        return node
    }
}
