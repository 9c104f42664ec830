extension KeyTree {
    /// A tree of entries that are in order already, with full nodes. O(n).
    ///
    /// - Precondition: The entries ascend by key, and by id where keys are equal, without repeats.
    static func build(from entries: some Sequence<Entry>) -> KeyTree {
        var tree = KeyTree()
        var level = leaves(of: entries, count: &tree.count)
        var height = 1
        while level.count > 1 {
            level = branches(over: level, height: height)
            height += 1
        }
        tree.root = level.first?.node
        return tree
    }

    /// A node, and the key and id of the first entry below it.
    private struct Built {
        let first: KeyTreeBranch.Separator
        let node: KeyTreeNode
    }

    private static func leaves(of entries: some Sequence<Entry>, count: inout Int) -> [Built] {
        var leaves: [Built] = []
        var previous: Entry?
        for entry in entries {
            if let previous {
                let ascends =
                    previous.key < entry.key
                    || (previous.key == entry.key && previous.row.id < entry.row.id)
                precondition(ascends, "the entries of a tree are built in ascending order")
            }
            if count % KeyTreeLeaf.entriesMax == 0 {
                let first = KeyTreeBranch.Separator(key: entry.key, id: entry.row.id)
                let node = KeyTreeLeaf.make(capacity: KeyTreeLeaf.entriesMax)
                leaves.append(Built(first: first, node: node))
            }
            let leaf = KeyTreeLeaf(Unmanaged.passUnretained(leaves[leaves.count - 1].node))
            leaf.insert(entry, at: leaf.count)
            previous = entry
            count += 1
        }
        return leaves
    }

    /// The children in branches of equal size, as few as can hold them.
    private static func branches(over children: [Built], height: Int) -> [Built] {
        let childrenMax = KeyTreeBranch.childrenMax
        let branchCount = (children.count + childrenMax - 1) / childrenMax
        return (0..<branchCount).map { index in
            let start = children.count * index / branchCount
            let end = children.count * (index + 1) / branchCount
            let node = KeyTreeBranch.make(height: height, capacity: end - start)
            let branch = KeyTreeBranch(Unmanaged.passUnretained(node))
            for place in start..<end {
                let child = children[place]
                branch.append(child.node, behind: place == start ? nil : child.first)
            }
            return Built(first: children[start].first, node: node)
        }
    }
}
