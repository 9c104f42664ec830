/// How a row gets out of a `RowMap`, and how the map shrinks with its content.
enum RowMapRemoval {
    typealias Slot = UnsafeMutablePointer<RowMapNode?>

    /// A leaf gives memory back when it has room for so many more rows than it holds.
    private static let slackMax = 16

    /// Removes the row with this id below `slot`, and returns it.
    ///
    /// - Parameter shift: That of the branch which `slot` belongs to; 0 for the root.
    static func remove(_ id: RecordID, hash: UInt64, at slot: Slot, shift: Int) -> Row? {
        RowMapNode.makeUnique(slot)
        guard let node = slot.pointee.map({ Unmanaged.passUnretained($0) }) else { return nil }
        if node.isLeaf { return removeFromLeaf(id, hash: hash, at: slot, shift: shift) }

        let branch = RowMapBranch(node)
        let index = branch.index(of: hash)
        let row = remove(id, hash: hash, at: branch.children + index, shift: branch.shift)
        mergeBlocks(around: index, of: branch)
        if branch.count == 1, isSmall(branch.child(at: 0)) {
            slot.pointee = raised(branch.child(at: 0), shift: shift)
        }
        return row
    }

    private static func removeFromLeaf(
        _ id: RecordID, hash: UInt64, at slot: Slot, shift: Int
    ) -> Row? {
        guard let node = slot.pointee else { return nil }
        let leaf = RowMapLeaf(Unmanaged.passUnretained(node))
        let fingerprint = RowMapLeaf.fingerprint(hash, shift: shift)
        guard let index = leaf.index(of: id, fingerprint: fingerprint) else { return nil }
        let row = leaf.take(at: index).takeRetainedValue()
        if leaf.count == 0 {
            slot.pointee = nil
        } else if leaf.capacity - leaf.count > slackMax + leaf.count / 2 {
            slot.pointee = leaf.moved(capacity: leaf.count + 1)
        }
        return row
    }

    /// Whether a child is absent, or a leaf with so few rows that it may merge with another.
    private static func isSmall(_ child: Unmanaged<RowMapNode>?) -> Bool {
        rowCount(child).map { $0 <= RowMapLeaf.mergedRowsMax } ?? false
    }

    /// The number of rows of a leaf, 0 where no child is, nil for a branch.
    private static func rowCount(_ child: Unmanaged<RowMapNode>?) -> Int? {
        guard let child else { return 0 }
        return child.isLeaf ? RowMapLeaf(child).count : nil
    }

    /// Merges the block of slots of a child with the other half of the block that it came from,
    /// and goes on with the merged block, while both halves together have few rows.
    private static func mergeBlocks(around index: Int, of branch: RowMapBranch) {
        var index = index
        while branch.count > 1 {
            let slots = branch.slots(of: index)
            let isLower = slots.lowerBound & slots.count == 0
            let lower = isLower ? index : index - 1
            let other = branch.slots(of: isLower ? index + 1 : lower)
            guard other.count == slots.count,
                let lowerCount = rowCount(branch.child(at: lower)),
                let upperCount = rowCount(branch.child(at: lower + 1)),
                lowerCount + upperCount <= RowMapLeaf.mergedRowsMax
            else { return }

            mergeChildren(at: lower, of: branch, capacity: lowerCount + upperCount)
            branch.remove(at: lower + 1, slot: max(slots.lowerBound, other.lowerBound))
            index = lower
        }
    }

    /// Puts the rows of the child at `lower` and of the next one into a single leaf at `lower`.
    private static func mergeChildren(at lower: Int, of branch: RowMapBranch, capacity: Int) {
        let children = branch.children
        if children[lower + 1] == nil { return }
        if children[lower] == nil {
            swap(&children[lower], &children[lower + 1])
            return
        }
        let merged = RowMapNode.leaf(capacity: capacity)
        for index in [lower, lower + 1] {
            guard let child = branch.child(at: index) else { continue }
            RowMapLeaf(child).copyRows(
                to: RowMapLeaf(Unmanaged.passUnretained(merged)), shift: branch.shift)
        }
        children[lower] = merged
    }

    /// The leaf in place of a branch of which it is the only child.
    private static func raised(_ child: Unmanaged<RowMapNode>?, shift: Int) -> RowMapNode? {
        guard let child else { return nil }
        let leaf = RowMapLeaf(child)
        let node = RowMapNode.leaf(capacity: leaf.count)
        leaf.copyRows(to: RowMapLeaf(Unmanaged.passUnretained(node)), shift: shift)
        return node
    }
}
