@testable import Skyros

extension IndexBTree {
    /// Calls `body` with every key and row between two bounds, in order, until it returns false.
    func scan(
        from lower: Bound?, to upper: Bound?, reversed: Bool = false,
        _ body: (ByteString, Row) throws -> Bool
    ) rethrows {
        try visit(from: lower, to: upper, reversed: reversed) { view, index in
            let key = view.key(at: index)
            return try view.rows[index]._withUnsafeGuaranteedRef { try body(key, $0) }
        }
    }

    /// The first row with this key, in the order of ids.
    func first(key: ByteString) -> Row? {
        var first: Row?
        let bound = Bound(key: key, isInclusive: true)
        scanRows(from: bound, to: bound) { row in
            first = row
            return false
        }
        return first
    }

    /// The addresses of all nodes, by which a test recognizes shared nodes.
    var nodes: Set<UnsafeMutableRawPointer> {
        var nodes: Set<UnsafeMutableRawPointer> = []
        func visit(_ node: IndexBTreeNode) {
            nodes.insert(node.address)
            let view = NodeView(node)
            guard !view.isLeaf else { return }
            for index in 0..<view.count { visit(view.children[index]) }
        }
        root.map(visit)
        return nodes
    }
}

extension RowTrie {
    /// The addresses of all nodes, by which a test recognizes shared nodes.
    var nodes: Set<UnsafeMutableRawPointer> {
        var nodes: Set<UnsafeMutableRawPointer> = []
        func visit(_ node: RowTrieNode) {
            nodes.insert(node.address)
            guard !node.isLeaf else { return }
            let branch = RowTrieBranch(node)
            for index in 0..<branch.count { branch.children[index].map(visit) }
        }
        root.map(visit)
        return nodes
    }
}
