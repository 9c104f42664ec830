/// How an entry gets out of a `KeyTree`, and how the tree shrinks with its content.
enum KeyTreeRemoval {
    typealias Slot = UnsafeMutablePointer<KeyTreeNode>

    /// Removes an entry that is in the tree.
    static func remove(
        key: ByteString, id: RecordID, atRoot root: UnsafeMutablePointer<KeyTreeNode?>
    ) {
        root.withMemoryRebound(to: KeyTreeNode.self, capacity: 1) { remove(key, id, at: $0) }
        guard let node = root.pointee.map({ Unmanaged.passUnretained($0) }) else { return }
        if node.isLeaf {
            if KeyTreeLeaf(node).count == 0 { root.pointee = nil }
        } else if KeyTreeBranch(node).count == 1 {
            root.pointee = KeyTreeBranch(node).children[0]
        }
    }

    private static func remove(_ key: ByteString, _ id: RecordID, at slot: Slot) {
        let node = KeyTreeNode.makeUnique(slot)
        if node.isLeaf {
            let leaf = KeyTreeLeaf(node)
            leaf.remove(at: leaf.index(for: key, id))
            return
        }
        let branch = KeyTreeBranch(node)
        let index = branch.childIndex(for: key, id)
        remove(key, id, at: branch.children + index)
        if isTooSmall(branch.child(at: index)), branch.count > 1 {
            let left = max(0, index - 1)
            if branch.height == 1 {
                balanceLeaves(left, of: branch)
            } else {
                balanceBranches(left, of: branch)
            }
        }
    }

    private static func isTooSmall(_ node: Unmanaged<KeyTreeNode>) -> Bool {
        node.isLeaf
            ? KeyTreeLeaf(node).count < KeyTreeLeaf.entriesMin
            : KeyTreeBranch(node).count < KeyTreeBranch.childrenMin
    }

    /// Merges the leaves at `index` and behind it, or gives both the same number of entries.
    private static func balanceLeaves(_ index: Int, of branch: KeyTreeBranch) {
        let (left, right) = uniqueLeaves(index, of: branch)
        let total = left.count + right.count
        if total <= KeyTreeLeaf.mergedEntriesMax {
            let merged = KeyTreeLeaf.make(capacity: total)
            let target = KeyTreeLeaf(Unmanaged.passUnretained(merged))
            left.moveHead(left.count, to: target)
            right.moveHead(right.count, to: target)
            branch.children[index] = merged
            branch.remove(at: index + 1)
            return
        }
        // Both in new leaves, whose capacities fit.
        let (lower, upper) = (total / 2, total - total / 2)
        let first = KeyTreeLeaf.make(capacity: max(lower, left.count))
        let second = KeyTreeLeaf.make(capacity: max(upper, right.count))
        let firstLeaf = KeyTreeLeaf(Unmanaged.passUnretained(first))
        let secondLeaf = KeyTreeLeaf(Unmanaged.passUnretained(second))
        left.moveHead(left.count, to: firstLeaf)
        right.moveHead(right.count, to: secondLeaf)
        if firstLeaf.count > lower {
            firstLeaf.moveTail(from: lower, to: secondLeaf)
        } else {
            secondLeaf.moveHead(lower - firstLeaf.count, to: firstLeaf)
        }
        branch.children[index] = first
        branch.children[index + 1] = second
        let entry = secondLeaf.entries[0]
        branch.separators[index] = KeyTreeBranch.Separator(key: entry.key, id: entry.row.id)
    }

    private static func uniqueLeaves(
        _ index: Int, of branch: KeyTreeBranch
    ) -> (left: KeyTreeLeaf, right: KeyTreeLeaf) {
        let left = KeyTreeNode.makeUnique(branch.children + index)
        let right = KeyTreeNode.makeUnique(branch.children + index + 1)
        return (KeyTreeLeaf(left), KeyTreeLeaf(right))
    }

    /// Merges the branches at `index` and behind it, or gives both the same number of children.
    private static func balanceBranches(_ index: Int, of branch: KeyTreeBranch) {
        let left = roomyBranch(at: branch.children + index)
        let right = roomyBranch(at: branch.children + index + 1)
        let separator = branch.separators[index]
        let total = left.count + right.count
        if total <= KeyTreeBranch.mergedChildrenMax {
            _ = right.moveHead(right.count, to: left, separator: separator)
            branch.remove(at: index + 1)
            return
        }
        let lower = total / 2
        let divides =
            left.count > lower
            ? left.moveTail(from: lower, to: right, separator: separator)
            : right.moveHead(lower - left.count, to: left, separator: separator)
        if let divides { branch.separators[index] = divides }
    }

    /// The branch at `slot`, referred to by nobody else and with room for all children.
    private static func roomyBranch(at slot: Slot) -> KeyTreeBranch {
        let branch = KeyTreeBranch(KeyTreeNode.makeUnique(slot))
        if branch.capacity < KeyTreeBranch.childrenMax {
            slot.pointee = branch.moved(capacity: KeyTreeBranch.childrenMax)
        }
        return KeyTreeBranch(Unmanaged.passUnretained(slot.pointee))
    }
}
