/// How an entry gets out of a `KeyTree`, and how the tree shrinks with its content.
enum KeyTreeRemoval {
    typealias Slot = UnsafeMutablePointer<KeyTreeNode>

    /// Removes an entry that is in the tree.
    static func remove(
        key: UnsafeRawBufferPointer, id: RecordID,
        atRoot root: UnsafeMutablePointer<KeyTreeNode?>
    ) {
        root.withMemoryRebound(to: KeyTreeNode.self, capacity: 1) { remove(key, id, at: $0) }
        guard let node = root.pointee else { return }
        let items = KeyTreeItems(Unmanaged.passUnretained(node))
        if items.isLeaf {
            if items.count == 0 { root.pointee = nil }
        } else if items.count == 1 {
            root.pointee = items.children[0]
        }
    }

    private static func remove(_ key: UnsafeRawBufferPointer, _ id: RecordID, at slot: Slot) {
        let items = KeyTreeNode.makeUnique(slot)
        if items.isLeaf {
            items.remove(at: items.place(of: key, id).index)
            return
        }
        let index = items.childIndex(of: key, id)
        remove(key, id, at: items.children + index)
        let child = KeyTreeItems(items.child(at: index))
        if child.count < KeyTreeNode.itemsMin, items.count > 1 {
            balanceChildren(max(0, index - 1), ofBranchAt: slot)
        }
    }

    /// Merges the children at `index` and behind it, or gives both the same number of items.
    private static func balanceChildren(_ index: Int, ofBranchAt slot: Slot) {
        let items = KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
        let left = KeyTreeNode.makeUnique(items.children + index)
        let right = KeyTreeNode.makeUnique(items.children + index + 1)
        let divided = KeyTreeSequence(items).separator(at: index + 1)
        let sequence = KeyTreeSequence(left, right, dividedBy: divided)
        let total = sequence.count
        if total <= KeyTreeNode.mergedItemsMax {
            let merged = sequence.node(0..<total)
            sequence.forget()
            items.children[index] = merged
            items.remove(at: index + 1)
            return
        }
        let first = sequence.node(0..<total / 2)
        let second = sequence.node(total / 2..<total)
        let firstItems = KeyTreeItems(Unmanaged.passUnretained(first))
        let secondItems = KeyTreeItems(Unmanaged.passUnretained(second))
        let separator =
            firstItems.isLeaf
            ? KeyTree.Separator.between(firstItems, secondItems)
            : sequence.separator(at: total / 2)
        sequence.forget()
        items.children[index] = first
        // The new separator may be longer than the one that it replaces.
        items.remove(at: index + 1)
        separator.key.withUnsafeBytes { key in
            KeyTreeInsertion.itemsWithRoom(for: key, at: slot)
                .insert(Unmanaged.passRetained(second), key, separator.id, at: index + 1)
        }
    }
}
