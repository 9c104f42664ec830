/// The removal of an entry from an `IndexBTree`, which shrinks with its contents.
struct IndexBTreeRemoval {
    /// The index in the node of each height that leads to the entry.
    let path: UnsafeMutableBufferPointer<Int>
    let memory: NodeArena

    /// Removes the entry.
    func remove(atRoot root: UnsafeMutablePointer<IndexBTreeNode?>) {
        root.withMemoryRebound(to: IndexBTreeNode.self, capacity: 1) { remove(at: $0) }
        guard let node = root.pointee else { return }
        let view = NodeView(node)
        if view.isLeaf {
            guard view.count == 0 else { return }
            root.pointee = nil
            node.release(in: memory)
        } else if view.count == 1 {
            let child = view.children[0]
            child.retain()
            root.pointee = child
            node.release(in: memory)
        }
    }

    private func remove(at slot: IndexBTreeSlot) {
        slot.makeUnique(in: memory)
        let view = NodeView(slot.pointee)
        let index = path[view.height]
        if view.isLeaf {
            view.rows[index].release()
            view.remove(at: index)
            return
        }
        remove(at: view.children + index)
        let child = NodeView(view.children[index])
        if child.count < IndexBTreeNode.itemsMin, view.count > 1 {
            balanceChildren(max(0, index - 1), ofBranchAt: slot)
        }
    }

    /// Merges the child at `index` with the next one, or gives both the same number of items.
    private func balanceChildren(_ index: Int, ofBranchAt slot: IndexBTreeSlot) {
        let view = NodeView(slot.pointee)
        let children = view.children
        (children + index).makeUnique(in: memory)
        (children + index + 1).makeUnique(in: memory)
        let divided = NodeRebuild(view).separator(at: index + 1)
        let right = children[index + 1]
        let rebuild = NodeRebuild(
            NodeView(children[index]), NodeView(right), dividedBy: divided)
        let total = rebuild.count
        if total <= IndexBTreeNode.mergedItemsMax {
            let merged = rebuild.node(0..<total, in: memory)
            rebuild.forget()
            (children + index).replace(by: merged, in: memory)
            view.remove(at: index + 1)
            right.release(in: memory)
            return
        }
        let first = rebuild.node(0..<total / 2, in: memory)
        let second = rebuild.node(total / 2..<total, in: memory)
        let firstItems = NodeView(first)
        let separator =
            firstItems.isLeaf
            ? IndexBTree.Separator.between(firstItems, NodeView(second))
            : rebuild.separator(at: total / 2)
        rebuild.forget()
        (children + index).replace(by: first, in: memory)
        // The new separator may be longer than the one that it replaces.
        view.remove(at: index + 1)
        right.release(in: memory)
        separator.key.withUnsafeBytes { key in
            IndexBTreeInsertion.itemsWithSpace(for: key, at: slot, in: memory)
                .insert(second, key, separator.id, at: index + 1)
        }
    }
}
