/// How a row gets into a `RowMap`.
enum RowMapInsertion {
    typealias Slot = UnsafeMutablePointer<RowMapNode?>

    /// Adds `row` below the root at `root`, and returns the row that it replaces, if any.
    static func insert(_ row: Row, at root: Slot) -> Row? {
        let hash = row.hash
        var slot = root
        // Of the branch that `slot` is a child of.
        var branchSlot: Slot?
        var index = 0
        var shift = 0

        while true {
            guard let node = uniqueNode(at: slot) else {
                slot.pointee = RowMapNode.leaf(capacity: 1)
                continue
            }
            if !node.isLeaf {
                let branch = RowMapBranch(node)
                (branchSlot, index, shift) = (slot, branch.index(of: hash), branch.shift)
                slot = branch.children + index
                continue
            }
            let leaf = RowMapLeaf(node)
            let fingerprint = RowMapLeaf.fingerprint(hash, shift: shift)
            if let place = leaf.index(of: row.id, fingerprint: fingerprint) {
                return replace(at: place, of: leaf, by: row)
            }
            if leaf.count < leaf.capacity {
                leaf.append(RowMapEntry(Unmanaged.passRetained(row), fingerprint: fingerprint))
                return nil
            }
            // The leaf grows or is split; then the same step is taken again.
            let mayGrow = leaf.count < RowMapLeaf.rowsMax
            if mayGrow || isIndivisible(slotOf: branchSlot, index: index) {
                slot.pointee = leaf.moved(capacity: leaf.count + 1)
            } else if let branchSlot {
                split(leaf, at: index, in: branchSlot)
                slot = branchSlot
            } else {
                slot.pointee = branch(over: leaf, shift: 0)
            }
        }
    }

    private static func uniqueNode(at slot: Slot) -> Unmanaged<RowMapNode>? {
        RowMapNode.makeUnique(slot)
        return slot.withMemoryRebound(to: Unmanaged<RowMapNode>?.self, capacity: 1) { $0.pointee }
    }

    private static func replace(at place: Int, of leaf: RowMapLeaf, by row: Row) -> Row {
        let old = leaf.entries[place]
        leaf.entries[place] = RowMapEntry(
            Unmanaged.passRetained(row), fingerprint: old.fingerprint)
        return old.row.takeRetainedValue()
    }

    /// Whether a leaf cannot be split any more, because its rows agree in all bits of the hash.
    private static func isIndivisible(slotOf branchSlot: Slot?, index: Int) -> Bool {
        guard let node = branchSlot?.pointee else { return false }
        let branch = RowMapBranch(Unmanaged.passUnretained(node))
        return branch.shift == RowMapBranch.shiftMax && branch.slots(of: index).count == 1
    }

    /// A branch whose only child, a leaf with the rows of `leaf`, covers all slots.
    private static func branch(over leaf: RowMapLeaf, shift: Int) -> RowMapNode {
        let child = RowMapNode.leaf(capacity: leaf.count)
        leaf.moveRows(to: RowMapLeaf(Unmanaged.passUnretained(child)), shift: shift)
        let node = RowMapNode.branch(shift: shift, capacity: 2)
        RowMapBranch(Unmanaged.passUnretained(node)).insert(child, at: 0, slot: 0)
        return node
    }

    /// Divides the leaf at `index` of a branch in two, or, where it covers a single slot, puts a
    /// branch in its place.
    private static func split(_ leaf: RowMapLeaf, at index: Int, in branchSlot: Slot) {
        guard let node = branchSlot.pointee else { return }
        var branch = RowMapBranch(Unmanaged.passUnretained(node))
        let slots = branch.slots(of: index)
        if slots.count == 1 {
            branch.children[index] = self.branch(
                over: leaf, shift: branch.shift + RowMapBranch.bits)
            return
        }
        if branch.count == branch.capacity {
            let grown = branch.moved(capacity: branch.count + 1)
            branch = RowMapBranch(Unmanaged.passUnretained(grown))
            branchSlot.pointee = grown
        }
        let middle = slots.lowerBound + slots.count / 2
        let (left, right) = halves(of: leaf, middle: middle)
        branch.children[index] = left
        branch.insert(right, at: index + 1, slot: middle)
    }

    /// Moves the rows of `leaf` into two new leaves: those whose slot is below `middle`, and the
    /// others. A leaf that would have no rows is left out.
    private static func halves(
        of leaf: RowMapLeaf, middle: Int
    ) -> (left: RowMapNode?, right: RowMapNode?) {
        let slotMask = UInt16(RowMapBranch.slots - 1)
        let entries = leaf.entries
        var rightCount = 0
        for index in 0..<leaf.count where entries[index].fingerprint & slotMask >= UInt16(middle) {
            rightCount += 1
        }
        if rightCount == 0 { return (leaf.moved(capacity: leaf.count), nil) }
        if rightCount == leaf.count { return (nil, leaf.moved(capacity: leaf.count)) }

        let left = RowMapNode.leaf(capacity: leaf.count - rightCount + 1)
        let right = RowMapNode.leaf(capacity: rightCount + 1)
        let leftLeaf = RowMapLeaf(Unmanaged.passUnretained(left))
        let rightLeaf = RowMapLeaf(Unmanaged.passUnretained(right))
        for index in 0..<leaf.count {
            let isRight = entries[index].fingerprint & slotMask >= UInt16(middle)
            (isRight ? rightLeaf : leftLeaf).append(entries[index])
        }
        leaf.forgetRows()
        return (left, right)
    }
}
