/// The insertion of a row into a `RowTrie`.
struct RowTrieInsertion {
    let memory: NodeArena

    /// Adds `row` below the root at `root`, and returns the row that it replaces, if any.
    func insert(_ row: Row, at root: RowTrieSlot) -> Row? {
        let hash = row.hash
        var slot = root
        // Of the branch that `slot` is a child of.
        var branchSlot: RowTrieSlot?
        var index = 0
        var shift = 0

        while true {
            slot.makeUnique(in: memory)
            guard let node = slot.pointee else {
                slot.pointee = .leaf(capacity: 1, in: memory)
                continue
            }
            if !node.isLeaf {
                let branch = RowTrieBranch(node)
                (branchSlot, index, shift) = (slot, branch.index(of: hash), branch.shift)
                slot = branch.children + index
                continue
            }
            let leaf = RowTrieLeaf(node)
            let fingerprint = RowTrieLeaf.fingerprint(hash, shift: shift)
            if let place = leaf.index(of: row.id, fingerprint: fingerprint) {
                return replace(at: place, of: leaf, by: row)
            }
            if leaf.count < leaf.capacity {
                leaf.append(RowTrieLeaf.Entry(Unmanaged.passRetained(row), tag: fingerprint))
                return nil
            }
            // The leaf grows or is split; the loop then tries again.
            let mayGrow = leaf.count < RowTrieLeaf.rowsMax
            if mayGrow || isIndivisible(slotOf: branchSlot, index: index) {
                slot.replace(by: leaf.grown(in: memory), in: memory)
            } else if let branchSlot {
                split(leaf, at: index, in: branchSlot)
                slot = branchSlot
            } else {
                slot.replace(by: branch(over: leaf, shift: 0), in: memory)
            }
        }
    }

    private func replace(at place: Int, of leaf: RowTrieLeaf, by row: Row) -> Row {
        let old = leaf.entries[place]
        leaf.entries[place] = RowTrieLeaf.Entry(Unmanaged.passRetained(row), tag: old.tag)
        return old.object.takeRetainedValue()
    }

    /// Whether a leaf cannot be split, because all bits of the hash are used up.
    private func isIndivisible(slotOf branchSlot: RowTrieSlot?, index: Int) -> Bool {
        guard let node = branchSlot?.pointee else { return false }
        let branch = RowTrieBranch(node)
        return branch.shift == RowTrieBranch.shiftMax && branch.slots(of: index).count == 1
    }

    /// A branch whose only child, a leaf with the rows of `leaf`, covers all slots.
    private func branch(over leaf: RowTrieLeaf, shift: Int) -> RowTrieNode {
        let child = RowTrieNode.leaf(capacity: leaf.count, in: memory)
        leaf.moveRows(to: RowTrieLeaf(child), shift: shift)
        let node = RowTrieNode.branch(shift: shift, capacity: 2, in: memory)
        RowTrieBranch(node).insert(child, at: 0, slot: 0)
        return node
    }

    /// Splits the leaf at `index` of a branch in two, or replaces it by a branch if it covers a
    /// single slot.
    private func split(_ leaf: RowTrieLeaf, at index: Int, in branchSlot: RowTrieSlot) {
        guard let node = branchSlot.pointee else { return }
        var branch = RowTrieBranch(node)
        let slots = branch.slots(of: index)
        if slots.count == 1 {
            let lower = self.branch(over: leaf, shift: branch.shift + RowTrieBranch.bits)
            (branch.children + index).replace(by: lower, in: memory)
            return
        }
        if branch.count == branch.capacity {
            let grown = branch.grown(in: memory)
            branch = RowTrieBranch(grown)
            branchSlot.replace(by: grown, in: memory)
        }
        let middle = slots.lowerBound + slots.count / 2
        let (left, right) = halves(of: leaf, middle: middle)
        (branch.children + index).replace(by: left, in: memory)
        branch.insert(right, at: index + 1, slot: middle)
    }

    /// Moves the rows of `leaf` into two new leaves: rows whose slot is below `middle`, and all
    /// other rows. A half without rows is nil.
    private func halves(
        of leaf: RowTrieLeaf, middle: Int
    ) -> (left: RowTrieNode?, right: RowTrieNode?) {
        let slotMask = UInt16(RowTrieBranch.slots - 1)
        let entries = leaf.entries
        var rightCount = 0
        for index in 0..<leaf.count where entries[index].tag & slotMask >= UInt16(middle) {
            rightCount += 1
        }
        if rightCount == 0 { return (leaf.moved(capacity: leaf.count, in: memory), nil) }
        if rightCount == leaf.count { return (nil, leaf.moved(capacity: leaf.count, in: memory)) }

        // Both have fewer rows than `leaf`: the row that caused the split will fit.
        let left = RowTrieNode.leaf(capacity: leaf.count - rightCount, in: memory)
        let right = RowTrieNode.leaf(capacity: rightCount, in: memory)
        let (leftLeaf, rightLeaf) = (RowTrieLeaf(left), RowTrieLeaf(right))
        for index in 0..<leaf.count {
            let isRight = entries[index].tag & slotMask >= UInt16(middle)
            (isRight ? rightLeaf : leftLeaf).append(entries[index])
        }
        leaf.forgetRows()
        return (left, right)
    }
}
