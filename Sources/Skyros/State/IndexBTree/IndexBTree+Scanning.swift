extension IndexBTree {
    /// Calls `body` with every entry between two bounds, in order, until it returns false.
    ///
    /// Nodes and rows are not retained on the way. A key is put together for the call; use
    /// `scanRows` where the rows suffice.
    ///
    ///     tree.scan(from: IndexBTree.Bound(key: low, isInclusive: true), to: nil) { key, row in
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
        try visit(from: lower, to: upper, reversed: reversed) { items, index in
            let key = items.key(at: index)
            return try items.rows[index]._withUnsafeGuaranteedRef { try body(key, $0) }
        }
    }

    /// Calls `body` with every row between two bounds, in order, until it returns false.
    ///
    /// The same as `scan`, without the keys.
    func scanRows(
        from lower: Bound?, to upper: Bound?, reversed: Bool = false,
        _ body: (Row) throws -> Bool
    ) rethrows {
        try visit(from: lower, to: upper, reversed: reversed) { items, index in
            try items.rows[index]._withUnsafeGuaranteedRef(body)
        }
    }

    /// Calls `body` with every row between two bounds, the greatest key first and rows with equal
    /// keys in the order of their ids, until it returns false.
    func scanRowsByDescendingKey(
        from lower: Bound?, to upper: Bound?, _ body: (Row) throws -> Bool
    ) rethrows {
        // The rows with the key at hand, those with greater ids first.
        var group: [Unmanaged<Row>] = []
        // The first key of the leaf before, that is, of the one behind.
        var boundary: ByteString?
        var goesOn = true
        try visit(from: lower, to: upper, reversed: true) { items, index in
            let isLast = index == items.count - 1
            let continues =
                isLast
                ? boundary.map { items.equals($0, at: index) } ?? false
                : items.haveSameKey(index, index + 1)
            if !continues { goesOn = try Self.emit(&group, body) }
            if goesOn {
                group.append(items.rows[index])
                if index == 0 { boundary = items.key(at: 0) }
            }
            return goesOn
        }
        if goesOn { _ = try Self.emit(&group, body) }
    }

    private static func emit(
        _ group: inout [Unmanaged<Row>], _ body: (Row) throws -> Bool
    ) rethrows -> Bool {
        while let row = group.popLast() {
            if try !row._withUnsafeGuaranteedRef(body) { return false }
        }
        return true
    }

    /// The first row with this key, in the order of ids. O(log n).
    func first(key: ByteString) -> Row? {
        guard var node = root else { return nil }
        return key.withUnsafeBytes { bytes in
            var items = NodeView(node)
            while !items.isLeaf {
                node = items.children[items.childIndex(at: bytes, isAfterKey: false)]
                items = NodeView(node)
            }
            let index = items.index(at: bytes, isAfterKey: false)
            if index < items.count {
                let isFound = items.equals(bytes, at: index)
                return isFound ? items.rows[index].takeUnretainedValue() : nil
            }
            // Where the key itself is a separator, its first entry begins the leaf behind.
            var first: Row?
            let bound = Bound(key: key, isInclusive: true)
            scanRows(from: bound, to: bound) { row in
                first = row
                return false
            }
            return first
        }
    }

    /// Whether any row has this key. O(log n).
    func contains(key: ByteString) -> Bool {
        first(key: key) != nil
    }

    /// A bound as a place between entries.
    private struct Edge {
        let key: UnsafeRawBufferPointer
        /// Whether the entries with exactly this key are in front of the place.
        let isAfterKey: Bool
    }

    private func visit(
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
        let items = NodeView(node)
        let isLeaf = items.isLeaf
        var first = 0
        var last = items.count - 1
        // In a branch, a place is in the child in front of the first separator behind it.
        if let start {
            first = items.index(at: start.key, isAfterKey: start.isAfterKey) - (isLeaf ? 0 : 1)
        }
        if let end { last = items.index(at: end.key, isAfterKey: end.isAfterKey) - 1 }

        var index = reversed ? last : first
        while first <= index, index <= last {
            // The bounds matter to the outermost children alone.
            let goesOn =
                isLeaf
                ? try body(items, index)
                : try visit(
                    items.children[index], from: index == first ? start : nil,
                    to: index == last ? end : nil, reversed: reversed, body)
            if !goesOn { return false }
            index += reversed ? -1 : 1
        }
        return true
    }
}
