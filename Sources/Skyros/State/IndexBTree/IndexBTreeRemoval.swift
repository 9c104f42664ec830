/// The removal of an entry from an `IndexBTree`, which shrinks with its contents.
struct IndexBTreeRemoval {
    /// The index in the node of each height that leads to the entry.
    let path: UnsafeMutableBufferPointer<Int>
    let memory: NodeArena

    /// Removes the entry.
    func remove(atRoot root: UnsafeMutablePointer<IndexBTreeNode?>) {
        root.withMemoryRebound(to: IndexBTreeNode.self, capacity: 1) { remove(at: $0) }
        guard let node = root.pointee else { return }
        let items = NodeView(node)
        if items.isLeaf {
            guard items.count == 0 else { return }
            root.pointee = nil
            node.release(in: memory)
        } else if items.count == 1 {
            let child = items.children[0]
            child.retain()
            root.pointee = child
            node.release(in: memory)
        }
    }

    private func remove(at slot: IndexBTreeSlot) {
        slot.makeUnique(in: memory)
        let items = NodeView(slot.pointee)
        let index = path[items.height]
        if items.isLeaf {
            items.rows[index].release()
            items.remove(at: index)
            return
        }
        remove(at: items.children + index)
        let child = NodeView(items.children[index])
        if child.count < IndexBTreeNode.itemsMin, items.count > 1 {
            balanceChildren(max(0, index - 1), ofBranchAt: slot)
        }
    }

    /// Merges the child at `index` with the next one, or gives both the same number of items.
    private func balanceChildren(_ index: Int, ofBranchAt slot: IndexBTreeSlot) {
        let items = NodeView(slot.pointee)
        let children = items.children
        (children + index).makeUnique(in: memory)
        (children + index + 1).makeUnique(in: memory)
        let divided = NodeRebuild(items).separator(at: index + 1)
        let right = children[index + 1]
        let sequence = NodeRebuild(
            NodeView(children[index]), NodeView(right), dividedBy: divided)
        let total = sequence.count
        if total <= IndexBTreeNode.mergedItemsMax {
            let merged = sequence.node(0..<total, in: memory)
            sequence.forget()
            (children + index).replace(by: merged, in: memory)
            items.remove(at: index + 1)
            right.release(in: memory)
            return
        }
        let first = sequence.node(0..<total / 2, in: memory)
        let second = sequence.node(total / 2..<total, in: memory)
        let firstItems = NodeView(first)
        let separator =
            firstItems.isLeaf
            ? IndexBTree.Separator.between(firstItems, NodeView(second))
            : sequence.separator(at: total / 2)
        sequence.forget()
        (children + index).replace(by: first, in: memory)
        // The new separator may be longer than the one that it replaces.
        items.remove(at: index + 1)
        right.release(in: memory)
        separator.key.withUnsafeBytes { key in
            IndexBTreeInsertion.itemsWithSpace(for: key, at: slot, in: memory)
                .insert(second, key, separator.id, at: index + 1)
        }
    }
}
