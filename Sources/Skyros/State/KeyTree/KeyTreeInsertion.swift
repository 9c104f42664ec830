/// How an entry gets into a `KeyTree`.
struct KeyTreeInsertion {
    typealias Slot = UnsafeMutablePointer<KeyTreeNode>

    private let key: UnsafeRawBufferPointer
    private let row: Row
    private var replaced: Row?

    private init(key: UnsafeRawBufferPointer, row: Row) {
        self.key = key
        self.row = row
    }

    /// Adds an entry, and returns the row that was under the same key and id until now, if any.
    static func insert(
        key: UnsafeRawBufferPointer, row: Row, atRoot root: UnsafeMutablePointer<KeyTreeNode?>
    ) -> Row? {
        if root.pointee == nil {
            root.pointee = KeyTreeNode.make(
                height: 0, capacity: 1, heapBytes: key.count, prefix: key)
        }
        var insertion = KeyTreeInsertion(key: key, row: row)
        let second = root.withMemoryRebound(to: KeyTreeNode.self, capacity: 1) { slot in
            insertion.insert(at: slot, isLast: true)
        }
        if let second, let node = root.pointee {
            let first = KeyTree.Child(separator: .lowest, node: node)
            root.pointee = KeyTreeNode.branch(over: [first, second])
        }
        return insertion.replaced
    }

    /// - Parameter isLast: Whether no node of the same height comes after this one.
    /// - Returns: The second half of the node, if that had to be divided.
    private mutating func insert(at slot: Slot, isLast: Bool) -> KeyTree.Child? {
        let items = KeyTreeNode.makeUnique(slot)
        if items.isLeaf { return insertIntoLeaf(items, at: slot, isLast: isLast) }

        let index = items.childIndex(of: key, row.id)
        let isLastChild = isLast && index == items.count - 1
        guard let child = insert(at: items.children + index, isLast: isLastChild) else {
            return nil
        }
        return Self.add(child, at: index + 1, ofBranchAt: slot)
    }

    private mutating func insertIntoLeaf(
        _ items: KeyTreeItems, at slot: Slot, isLast: Bool
    ) -> KeyTree.Child? {
        let (index, isFound) = items.place(of: key, row.id)
        if isFound {
            replaced = items.rows[index].takeRetainedValue()
            items.rows[index] = Unmanaged.passRetained(row)
            return nil
        }
        let reference = Unmanaged.passRetained(row)
        if items.count < KeyTreeNode.itemsMax {
            Self.itemsWithRoom(for: key, at: slot).insert(reference, key, at: index)
            return nil
        }
        let node: KeyTreeNode
        if isLast, index == items.count {
            // Keys that only ever grow leave full leaves behind, not half full ones.
            node = KeyTreeNode.make(height: 0, capacity: 1, heapBytes: key.count, prefix: key)
            KeyTreeItems(Unmanaged.passUnretained(node)).insert(reference, key, at: 0)
        } else {
            let half = Self.split(slot, newKey: key, at: index)
            half.target.insert(reference, key, at: half.index)
            node = half.second
        }
        let left = KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
        let right = KeyTreeItems(Unmanaged.passUnretained(node))
        return KeyTree.Child(separator: .between(left, right), node: node)
    }

    /// Puts a child into the branch at `slot`.
    private static func add(
        _ child: KeyTree.Child, at index: Int, ofBranchAt slot: Slot
    ) -> KeyTree.Child? {
        let items = KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
        let reference = Unmanaged.passRetained(child.node)
        return child.separator.key.withUnsafeBytes { key in
            if items.count < KeyTreeNode.itemsMax {
                itemsWithRoom(for: key, at: slot)
                    .insert(reference, key, child.separator.id, at: index)
                return nil
            }
            let separator = KeyTreeSequence(items).separator(at: items.count / 2)
            let half = split(slot, newKey: key, at: index)
            half.target.insert(reference, key, child.separator.id, at: half.index)
            return KeyTree.Child(separator: separator, node: half.second)
        }
    }

    /// The items of the node at `slot`, after it was made anew if it has no room for this key.
    static func itemsWithRoom(for key: UnsafeRawBufferPointer, at slot: Slot) -> KeyTreeItems {
        let items = KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
        if items.hasRoom(for: key) { return items }
        let sequence = KeyTreeSequence(items)
        let node = sequence.node(0..<items.count, newKey: key)
        sequence.forget()
        slot.pointee = node
        return KeyTreeItems(Unmanaged.passUnretained(node))
    }

    /// Divides the node at `slot`, and tells which half has room for the new key at which index.
    private static func split(
        _ slot: Slot, newKey: UnsafeRawBufferPointer, at index: Int
    ) -> (second: KeyTreeNode, target: KeyTreeItems, index: Int) {
        let items = KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
        let middle = items.count / 2
        let isInFirst = index <= middle
        let sequence = KeyTreeSequence(items)
        let first = sequence.node(0..<middle, newKey: isInFirst ? newKey : nil)
        let second = sequence.node(middle..<items.count, newKey: isInFirst ? nil : newKey)
        sequence.forget()
        slot.pointee = first
        let target = KeyTreeItems(Unmanaged.passUnretained(isInFirst ? first : second))
        return (second, target, isInFirst ? index : index - middle)
    }
}
