extension KeyTree {
    /// A tree of entries that are in order already, with full leaves. O(n).
    ///
    /// Takes over the entries' references to rows.
    ///
    /// - Precondition: The entries ascend by key, and by id where keys are equal, without repeats.
    static func build(from entries: some Sequence<Entry>) -> KeyTree {
        var tree = KeyTree()
        var level: [Child] = []
        var pending: [Entry] = []
        for entry in entries {
            if let last = pending.last {
                precondition(last.precedes(entry), "a tree is built in ascending order")
            }
            if pending.count == KeyTreeNode.itemsMax {
                addLeaf(of: pending, to: &level)
                pending.removeAll(keepingCapacity: true)
            }
            pending.append(entry)
            tree.count += 1
        }
        if !pending.isEmpty { addLeaf(of: pending, to: &level) }
        while level.count > 1 { level = branches(over: level) }
        tree.root = level.first?.node
        return tree
    }

    private static func addLeaf(of entries: [Entry], to leaves: inout [Child]) {
        guard let first = entries.first, let last = entries.last else { return }
        let node = KeyTreeNode.make(
            height: 0, keys: entries.lazy.map(\.key), lowest: first.key, highest: last.key)
        let items = KeyTreeItems(Unmanaged.passUnretained(node))
        for entry in entries {
            entry.key.withUnsafeBytes { key in
                items.insert(entry.row, key, at: items.count)
            }
        }
        let separator = leaves.last.map { previous in
            Separator.between(KeyTreeItems(Unmanaged.passUnretained(previous.node)), items)
        }
        leaves.append(Child(separator: separator ?? .lowest, node: node))
    }

    /// The children in branches of equal size, as few as can hold them.
    private static func branches(over children: [Child]) -> [Child] {
        let branchCount = (children.count + KeyTreeNode.itemsMax - 1) / KeyTreeNode.itemsMax
        return (0..<branchCount).map { index in
            let start = children.count * index / branchCount
            let end = children.count * (index + 1) / branchCount
            let node = KeyTreeNode.branch(over: children[start..<end])
            return Child(separator: children[start].separator, node: node)
        }
    }
}

extension KeyTree.Entry {
    fileprivate func precedes(_ other: KeyTree.Entry) -> Bool {
        if key != other.key { return key < other.key }
        return row._withUnsafeGuaranteedRef { row in
            other.row._withUnsafeGuaranteedRef { other in row.id < other.id }
        }
    }
}
