/// The insertion of an entry into an `IndexBTree`.
struct IndexBTreeInsertion {
    private let key: UnsafeRawBufferPointer
    /// Not retained: the caller holds it.
    private let row: Unmanaged<Row>
    private let memory: NodeArena
    private var replaced: Row?
    /// The second half of a node that was just split, for the branch above.
    private var divided: IndexBTree.Child?

    private var id: RecordID { row._withUnsafeGuaranteedRef { $0.id } }

    /// Adds an entry, and returns the row that it replaces under the same key and id, if any.
    static func insert(
        key: UnsafeRawBufferPointer, row: Row, atRoot root: UnsafeMutablePointer<IndexBTreeNode?>,
        in memory: NodeArena
    ) -> Row? {
        if root.pointee == nil {
            root.pointee = IndexBTreeNode.make(
                height: 0, heapBytes: 0, prefix: key, in: memory)
        }
        var insertion = IndexBTreeInsertion(
            key: key, row: .passUnretained(row), memory: memory)
        root.withMemoryRebound(to: IndexBTreeNode.self, capacity: 1) { slot in
            insertion.insert(at: slot, isLast: true)
        }
        if let second = insertion.divided, let node = root.pointee {
            let first = IndexBTree.Child(separator: .lowest, node: node)
            root.pointee = IndexBTreeNode.branch(over: [first, second], in: memory)
        }
        return insertion.replaced
    }

    /// - Parameter isLast: Whether no node of the same height comes after this one.
    private mutating func insert(at slot: IndexBTreeSlot, isLast: Bool) {
        slot.makeUnique(in: memory)
        let view = NodeView(slot.pointee)
        if view.isLeaf { return insertIntoLeaf(view, at: slot, isLast: isLast) }

        let index = view.childIndex(of: key, id)
        insert(at: view.children + index, isLast: isLast && index == view.count - 1)
        if let child = divided.take() { add(child, at: index + 1, ofBranchAt: slot) }
    }

    private mutating func insertIntoLeaf(
        _ view: NodeView, at slot: IndexBTreeSlot, isLast: Bool
    ) {
        let (index, isFound) = view.place(of: key, id)
        if isFound {
            replaced = view.rows[index].takeRetainedValue()
            view.rows[index] = row.retain()
            return
        }
        let reference = row.retain()
        if view.count < IndexBTreeNode.itemsMax {
            Self.itemsWithSpace(for: key, at: slot, in: memory).insert(reference, key, at: index)
            return
        }
        let node: IndexBTreeNode
        if isLast, index == view.count {
            // Keys that only ever grow fill their leaves, instead of half of each.
            node = IndexBTreeNode.make(
                height: 0, heapBytes: 0, prefix: key, in: memory)
            NodeView(node).insert(reference, key, at: 0)
        } else {
            let half = split(slot, newKey: key, at: index)
            half.target.insert(reference, key, at: half.index)
            node = half.second
        }
        let separator = IndexBTree.Separator.between(
            NodeView(slot.pointee), NodeView(node))
        divided = IndexBTree.Child(separator: separator, node: node)
    }

    /// Inserts a child into the branch at `slot`.
    private mutating func add(
        _ child: IndexBTree.Child, at index: Int, ofBranchAt slot: IndexBTreeSlot
    ) {
        let view = NodeView(slot.pointee)
        child.separator.key.withUnsafeBytes { key in
            if view.count < IndexBTreeNode.itemsMax {
                Self.itemsWithSpace(for: key, at: slot, in: memory)
                    .insert(child.node, key, child.separator.id, at: index)
                return
            }
            let separator = NodeRebuild(view)
                .separator(at: view.divisionIndex(newIndex: index))
            let half = split(slot, newKey: key, at: index)
            half.target.insert(child.node, key, child.separator.id, at: half.index)
            divided = IndexBTree.Child(separator: separator, node: half.second)
        }
    }

    /// The items of the node at `slot`, which is rebuilt if its heap has no space for this key.
    static func itemsWithSpace(
        for key: UnsafeRawBufferPointer, at slot: IndexBTreeSlot, in memory: NodeArena
    ) -> NodeView {
        let view = NodeView(slot.pointee)
        if view.hasSpace(for: key) { return view }
        let rebuild = NodeRebuild(view)
        let node = rebuild.node(0..<view.count, newKey: key, in: memory)
        rebuild.forget()
        slot.replace(by: node, in: memory)
        return NodeView(node)
    }

    /// Splits the node at `slot`, and returns which half has space for the new key, and the index.
    private func split(
        _ slot: IndexBTreeSlot, newKey: UnsafeRawBufferPointer, at index: Int
    ) -> (second: IndexBTreeNode, target: NodeView, index: Int) {
        let view = NodeView(slot.pointee)
        let middle = view.divisionIndex(newIndex: index)
        let isInFirst = index <= middle
        let rebuild = NodeRebuild(view)
        let first = rebuild.node(0..<middle, newKey: isInFirst ? newKey : nil, in: memory)
        let second = rebuild.node(
            middle..<view.count, newKey: isInFirst ? nil : newKey, in: memory)
        rebuild.forget()
        slot.replace(by: first, in: memory)
        let target = NodeView(isInFirst ? first : second)
        return (second, target, isInFirst ? index : index - middle)
    }
}

extension NodeView {
    /// Where a full node is best split.
    ///
    /// Where neighbours have the shortest common prefix: then each half has a long prefix, so that
    /// the heads distinguish its keys, and the separator is short. Among equal places, the middle.
    /// If the new item is the greatest, more will probably follow it, so the first half is left
    /// fuller.
    fileprivate func divisionIndex(newIndex: Int) -> Int {
        let sideMin = IndexBTreeNode.dividedItemsMin
        let wanted = newIndex == count ? count - sideMin : count / 2
        var best = wanted
        var bestCost = Int.max
        for index in sideMin...count - sideMin {
            let shared = (heads[index - 1] ^ heads[index]).leadingZeroBitCount / 8
            let cost = shared * IndexBTreeNode.itemsMax + abs(index - wanted)
            if cost < bestCost { (best, bestCost) = (index, cost) }
        }
        return best
    }
}
