extension KeyTree {
    /// Calls `body` with every entry between two bounds, in order, until it returns false.
    ///
    /// No node is retained on the way, and no row.
    ///
    ///     tree.scan(from: KeyTree.Bound(key: low, isInclusive: true), to: nil) { key, row in
    ///         rows.append(row)
    ///         return rows.count < 20
    ///     }
    ///
    /// - Parameters:
    ///   - lower: Where the entries begin; nil for the very first.
    ///   - upper: Where the entries end; nil for the very last.
    ///   - reversed: Whether the entries are visited from the last to the first.
    /// - Complexity: O(log n) for the first entry, O(1) for each further one.
    func scan(
        from lower: Bound?, to upper: Bound?, reversed: Bool = false,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows {
        guard let root else { return }
        let node = Unmanaged.passUnretained(root)
        _ = try Self.scan(node, from: lower, to: upper, reversed: reversed, body)
    }

    /// The first row with this key, in the order of ids. O(log n).
    func first(key: ByteString) -> Row? {
        var first: Row?
        let bound = Bound(key: key, isInclusive: true)
        scan(from: bound, to: bound) { _, row in
            first = row
            return false
        }
        return first
    }

    /// Whether any row has this key. O(log n).
    func contains(key: ByteString) -> Bool {
        var isFound = false
        let bound = Bound(key: key, isInclusive: true)
        scan(from: bound, to: bound) { _, _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// - Returns: False once `body` has returned false.
    private static func scan(
        _ node: Unmanaged<KeyTreeNode>, from lower: Bound?, to upper: Bound?, reversed: Bool,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows -> Bool {
        if node.isLeaf {
            let leaf = KeyTreeLeaf(node)
            let start = lower.map { leaf.index(at: $0.key, isAfterKey: !$0.isInclusive) } ?? 0
            let end = upper.map { leaf.index(at: $0.key, isAfterKey: $0.isInclusive) } ?? leaf.count
            return try visit(leaf, start, end, reversed: reversed, body)
        }
        let branch = KeyTreeBranch(node)
        let count = branch.count
        let first = lower.map { branch.childIndex(at: $0.key, isAfterKey: !$0.isInclusive) } ?? 0
        let last =
            upper.map { branch.childIndex(at: $0.key, isAfterKey: $0.isInclusive) } ?? count - 1
        var index = reversed ? last : first
        // The bounds matter to the outermost children alone.
        while first <= index, index <= last {
            let goesOn = try scan(
                branch.child(at: index), from: index == first ? lower : nil,
                to: index == last ? upper : nil, reversed: reversed, body)
            if !goesOn { return false }
            index += reversed ? -1 : 1
        }
        return true
    }

    private static func visit(
        _ leaf: KeyTreeLeaf, _ start: Int, _ end: Int, reversed: Bool,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows -> Bool {
        var index = reversed ? end - 1 : start
        while start <= index, index < end {
            if try !body(leaf.entries[index].key, leaf.entries[index].row) { return false }
            index += reversed ? -1 : 1
        }
        return true
    }
}
