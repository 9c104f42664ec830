/// The checks of the structure that the tests run after changes.
extension IndexBTree {
    /// The first rule that the structure breaks, as a sentence; nil if it keeps all of them. O(n).
    func brokenInvariant() -> String? {
        guard let root else { return count == 0 ? nil : "a tree without nodes counts entries" }
        var check = Check()
        let items = NodeView(root)
        check.visit(items, height: items.height, isLast: true, low: nil, high: nil)
        if check.broken == nil, check.entriesFound != count {
            return "the tree counts \(count) entries and holds \(check.entriesFound)"
        }
        return check.broken
    }

    /// The identities of all nodes, from which a test tells what two trees share.
    var nodes: Set<UnsafeMutableRawPointer> {
        var nodes: Set<UnsafeMutableRawPointer> = []
        func visit(_ node: IndexBTreeNode) {
            nodes.insert(UnsafeMutableRawPointer(node.header))
            let items = NodeView(node)
            guard !items.isLeaf else { return }
            for index in 0..<items.count { visit(items.children[index]) }
        }
        root.map(visit)
        return nodes
    }

    private struct Check {
        var broken: String?
        var entriesFound = 0
        private var previous: Separator?

        init() {}

        mutating func expect(_ holds: Bool, _ sentence: String) {
            if !holds, broken == nil { broken = sentence }
        }

        /// - Parameter isLast: Whether the node ends its level; such nodes may be small.
        mutating func visit(
            _ items: NodeView, height: Int, isLast: Bool, low: Separator?, high: Separator?
        ) {
            let countMin = isLast ? (items.isLeaf ? 1 : 2) : IndexBTreeNode.dividedItemsMin
            expect(items.height == height, "a node is at the wrong height")
            expect(items.count >= countMin, "a node has too few items")
            expect(items.count <= IndexBTreeNode.itemsMax, "a node has too many items")
            let isHeapKept =
                items.header.pointee.heapCount <= items.header.pointee.heapCapacity
            expect(isHeapKept, "a node's heap is too full")
            guard broken == nil else { return }
            if items.isLeaf {
                visitEntries(of: items, low: low, high: high)
                return
            }
            let sequence = NodeRebuild(items)
            for index in 0..<items.count {
                let isLastChild = index == items.count - 1
                visit(
                    NodeView(items.children[index]), height: height - 1,
                    isLast: isLast && isLastChild,
                    low: index == 0 ? low : sequence.separator(at: index),
                    high: isLastChild ? high : sequence.separator(at: index + 1))
            }
        }

        private mutating func visitEntries(
            of items: NodeView, low: Separator?, high: Separator?
        ) {
            let sequence = NodeRebuild(items)
            for index in 0..<items.count {
                let place = sequence.separator(at: index)
                if let previous { expect(Self.isLess(previous, place), "entries do not ascend") }
                if let low { expect(!Self.isLess(place, low), "an entry is below its separator") }
                if let high { expect(Self.isLess(place, high), "an entry is above its separator") }
                let found = place.key.withUnsafeBytes { items.place(of: $0, place.id) }
                expect(found.isFound && found.index == index, "an entry is not found")
                previous = place
            }
            entriesFound += items.count
        }

        private static func isLess(_ a: Separator, _ b: Separator) -> Bool {
            a.key == b.key ? a.id < b.id : a.key < b.key
        }
    }
}
