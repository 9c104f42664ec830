/// How an entry gets into a `KeyTree`.
struct KeyTreeInsertion {
    private let key: UnsafeRawBufferPointer
    /// Not retained: the caller holds it.
    private let row: Unmanaged<Row>
    private let memory: NodeMemory
    private var replaced: Row?
    /// The second half of a node that was just divided, for the branch above.
    private var divided: KeyTree.Child?

    private init(key: UnsafeRawBufferPointer, row: Row, in memory: NodeMemory) {
        self.key = key
        self.row = Unmanaged.passUnretained(row)
        self.memory = memory
    }

    private var id: RecordID { row._withUnsafeGuaranteedRef { $0.id } }

    /// Adds an entry, and returns the row that was under the same key and id until now, if any.
    static func insert(
        key: UnsafeRawBufferPointer, row: Row, atRoot root: UnsafeMutablePointer<KeyTreeNode?>,
        in memory: NodeMemory
    ) -> Row? {
        if root.pointee == nil {
            root.pointee = KeyTreeNode.make(
                height: 0, heapBytes: 0, prefix: key, in: memory)
        }
        var insertion = KeyTreeInsertion(key: key, row: row, in: memory)
        root.withMemoryRebound(to: KeyTreeNode.self, capacity: 1) { slot in
            insertion.insert(at: slot, isLast: true)
        }
        if let second = insertion.divided, let node = root.pointee {
            let first = KeyTree.Child(separator: .lowest, node: node)
            root.pointee = KeyTreeNode.branch(over: [first, second], in: memory)
        }
        return insertion.replaced
    }

    /// - Parameter isLast: Whether no node of the same height comes after this one.
    private mutating func insert(at slot: KeyTreeSlot, isLast: Bool) {
        slot.makeUnique(in: memory)
        let items = KeyTreeItems(slot.pointee)
        if items.isLeaf { return insertIntoLeaf(items, at: slot, isLast: isLast) }

        let index = items.childIndex(of: key, id)
        insert(at: items.children + index, isLast: isLast && index == items.count - 1)
        if let child = divided.take() { add(child, at: index + 1, ofBranchAt: slot) }
    }

    private mutating func insertIntoLeaf(
        _ items: KeyTreeItems, at slot: KeyTreeSlot, isLast: Bool
    ) {
        let (index, isFound) = items.place(of: key, id)
        if isFound {
            replaced = items.rows[index].takeRetainedValue()
            items.rows[index] = row.retain()
            return
        }
        let reference = row.retain()
        if items.count < KeyTreeNode.itemsMax {
            Self.itemsWithRoom(for: key, at: slot, in: memory).insert(reference, key, at: index)
            return
        }
        let node: KeyTreeNode
        if isLast, index == items.count {
            // Keys that only ever grow leave full leaves behind, not half full ones.
            node = KeyTreeNode.make(
                height: 0, heapBytes: 0, prefix: key, in: memory)
            KeyTreeItems(node).insert(reference, key, at: 0)
        } else {
            let half = split(slot, newKey: key, at: index)
            half.target.insert(reference, key, at: half.index)
            node = half.second
        }
        let separator = KeyTree.Separator.between(
            KeyTreeItems(slot.pointee), KeyTreeItems(node))
        divided = KeyTree.Child(separator: separator, node: node)
    }

    /// Puts a child into the branch at `slot`.
    private mutating func add(
        _ child: KeyTree.Child, at index: Int, ofBranchAt slot: KeyTreeSlot
    ) {
        let items = KeyTreeItems(slot.pointee)
        child.separator.key.withUnsafeBytes { key in
            if items.count < KeyTreeNode.itemsMax {
                Self.itemsWithRoom(for: key, at: slot, in: memory)
                    .insert(child.node, key, child.separator.id, at: index)
                return
            }
            let separator = KeyTreeSequence(items)
                .separator(at: items.divisionIndex(newIndex: index))
            let half = split(slot, newKey: key, at: index)
            half.target.insert(child.node, key, child.separator.id, at: half.index)
            divided = KeyTree.Child(separator: separator, node: half.second)
        }
    }

    /// The items of the node at `slot`, after it was made anew if it has no room for this key.
    static func itemsWithRoom(
        for key: UnsafeRawBufferPointer, at slot: KeyTreeSlot, in memory: NodeMemory
    ) -> KeyTreeItems {
        let items = KeyTreeItems(slot.pointee)
        if items.hasRoom(for: key) { return items }
        let sequence = KeyTreeSequence(items)
        let node = sequence.node(0..<items.count, newKey: key, in: memory)
        sequence.forget()
        slot.replace(by: node, in: memory)
        return KeyTreeItems(node)
    }

    /// Divides the node at `slot`, and tells which half has room for the new key at which index.
    private func split(
        _ slot: KeyTreeSlot, newKey: UnsafeRawBufferPointer, at index: Int
    ) -> (second: KeyTreeNode, target: KeyTreeItems, index: Int) {
        let items = KeyTreeItems(slot.pointee)
        let middle = items.divisionIndex(newIndex: index)
        let isInFirst = index <= middle
        let sequence = KeyTreeSequence(items)
        let first = sequence.node(0..<middle, newKey: isInFirst ? newKey : nil, in: memory)
        let second = sequence.node(
            middle..<items.count, newKey: isInFirst ? nil : newKey, in: memory)
        sequence.forget()
        slot.replace(by: first, in: memory)
        let target = KeyTreeItems(isInFirst ? first : second)
        return (second, target, isInFirst ? index : index - middle)
    }
}

extension KeyTreeItems {
    /// Where a full node is best divided.
    ///
    /// There where neighbours have least in common: then each half has a long prefix, so that the
    /// heads tell its keys apart, and the separator is short. Of places that are equal in this,
    /// the middle; if the new item is the greatest, more are like to follow it, so the first half
    /// is left fuller.
    fileprivate func divisionIndex(newIndex: Int) -> Int {
        let sideMin = KeyTreeNode.dividedItemsMin
        let wanted = newIndex == count ? count - sideMin : count / 2
        var best = wanted
        var bestCost = Int.max
        for index in sideMin...count - sideMin {
            let shared = (heads[index - 1] ^ heads[index]).leadingZeroBitCount / 8
            let cost = shared * KeyTreeNode.itemsMax + abs(index - wanted)
            if cost < bestCost { (best, bestCost) = (index, cost) }
        }
        return best
    }
}
