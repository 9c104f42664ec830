extension IndexBTree {
    /// Calls `body` with every row between two bounds, in order, until it returns false.
    ///
    ///     tree.scanRows(from: IndexBTree.Bound(key: low, isInclusive: true), to: nil) { row in
    ///         ids.append(row.id)
    ///         return ids.count < 20
    ///     }
    ///
    /// Nodes and rows are not retained.
    ///
    /// - Parameters:
    ///   - lower: The lower bound; nil for none.
    ///   - upper: The upper bound; nil for none.
    /// - Complexity: O(log n) for the first row, O(1) per further one.
    func scanRows(
        from lower: Bound?, to upper: Bound?, _ body: (Row) throws -> Bool
    ) rethrows {
        try visit(from: lower, to: upper, reversed: false) { view, index in
            try view.rows[index]._withUnsafeGuaranteedRef(body)
        }
    }

    /// Calls `body` with every row between two bounds, the greatest key first and rows with equal
    /// keys in the order of their ids, until it returns false.
    func scanRowsByDescendingKey(
        from lower: Bound?, to upper: Bound?, _ body: (Row) throws -> Bool
    ) rethrows {
        // The rows with the current key, those with greater ids first.
        var group: [Unmanaged<Row>] = []
        // The first key of the leaf that was visited before, which is the next one in key order.
        var boundary: ByteString?
        var isWanted = true
        try visit(from: lower, to: upper, reversed: true) { view, index in
            let isLast = index == view.count - 1
            let continues =
                isLast
                ? boundary.map { view.equals($0, at: index) } ?? false
                : view.haveSameKey(index, index + 1)
            if !continues { isWanted = try Self.emit(&group, body) }
            if isWanted {
                group.append(view.rows[index])
                if index == 0 { boundary = view.key(at: 0) }
            }
            return isWanted
        }
        if isWanted { _ = try Self.emit(&group, body) }
    }

    /// Calls `body` with every row whose key another row has too, in order. Once it returns false,
    /// it is not called with further rows with the same key. O(n).
    func forEachSharedKey(_ body: (Row) throws -> Bool) rethrows {
        var last: (row: Unmanaged<Row>, leaf: NodeView, index: Int)?
        // Of the group of rows with one key: whether the first was passed on, and is followed.
        var (isBegun, isWanted) = (false, true)
        try visit(from: nil, to: nil, reversed: false) { view, index in
            defer { last = (view.rows[index], view, index) }
            guard let last, hasSameKey(last.leaf, last.index, view, index) else {
                (isBegun, isWanted) = (false, true)
                return true
            }
            if !isBegun { isWanted = try last.row._withUnsafeGuaranteedRef(body) }
            isBegun = true
            if isWanted { isWanted = try view.rows[index]._withUnsafeGuaranteedRef(body) }
            return true
        }
    }

    private func hasSameKey(_ a: NodeView, _ i: Int, _ b: NodeView, _ j: Int) -> Bool {
        // Within a leaf, neighbours are compared in place.
        j > 0 ? b.haveSameKey(i, j) : b.equals(a.key(at: i), at: j)
    }

    private static func emit(
        _ group: inout [Unmanaged<Row>], _ body: (Row) throws -> Bool
    ) rethrows -> Bool {
        while let row = group.popLast() {
            if try !row._withUnsafeGuaranteedRef(body) { return false }
        }
        return true
    }

    /// A bound as a place between entries.
    private struct Edge {
        let key: UnsafeRawBufferPointer
        /// Whether the entries with exactly this key are before the place.
        let isAfterKey: Bool
    }

    /// Calls `body` with the node and index of every entry between two bounds.
    func visit(
        from lower: Bound?, to upper: Bound?, reversed: Bool,
        _ body: (NodeView, Int) throws -> Bool
    ) rethrows {
        guard let root else { return }
        try Self.withEdge(lower, isAfterKey: lower?.isInclusive == false) { start in
            try Self.withEdge(upper, isAfterKey: upper?.isInclusive == true) { end in
                _ = try Self.visit(root, from: start, to: end, reversed: reversed, body)
            }
        }
    }

    private static func withEdge(
        _ bound: Bound?, isAfterKey: Bool, _ body: (Edge?) throws -> Void
    ) rethrows {
        guard let bound else { return try body(nil) }
        try bound.key.withUnsafeBytes { try body(Edge(key: $0, isAfterKey: isAfterKey)) }
    }

    /// - Returns: False once `body` has returned false.
    private static func visit(
        _ node: IndexBTreeNode, from start: Edge?, to end: Edge?, reversed: Bool,
        _ body: (NodeView, Int) throws -> Bool
    ) rethrows -> Bool {
        let view = NodeView(node)
        let isLeaf = view.isLeaf
        var first = 0
        var last = view.count - 1
        // In a branch, a place is in the child before the first separator after it.
        if let start {
            first = view.index(at: start.key, isAfterKey: start.isAfterKey) - (isLeaf ? 0 : 1)
        }
        if let end { last = view.index(at: end.key, isAfterKey: end.isAfterKey) - 1 }

        var index = reversed ? last : first
        while first <= index, index <= last {
            // The bounds matter only to the outermost children.
            let isWanted =
                isLeaf
                ? try body(view, index)
                : try visit(
                    view.children[index], from: index == first ? start : nil,
                    to: index == last ? end : nil, reversed: reversed, body)
            if !isWanted { return false }
            index += reversed ? -1 : 1
        }
        return true
    }
}
