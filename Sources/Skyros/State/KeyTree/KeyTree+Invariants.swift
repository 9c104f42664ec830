/// The checks of the structure that the tests run after changes.
extension KeyTree {
    /// The first rule that the structure breaks, as a sentence; nil if it keeps all of them. O(n).
    func brokenInvariant() -> String? {
        guard let root else { return count == 0 ? nil : "a tree without nodes counts entries" }
        var check = Check()
        let node = Unmanaged.passUnretained(root)
        check.visit(node, height: node.height, isLast: true, low: nil, high: nil)
        if check.broken == nil, check.entriesFound != count {
            return "the tree counts \(count) entries and holds \(check.entriesFound)"
        }
        return check.broken
    }

    /// The identities of all nodes, from which a test tells what two trees share.
    var nodes: Set<ObjectIdentifier> {
        var nodes: Set<ObjectIdentifier> = []
        func visit(_ node: KeyTreeNode) {
            nodes.insert(ObjectIdentifier(node))
            let unmanaged = Unmanaged.passUnretained(node)
            guard !unmanaged.isLeaf else { return }
            let branch = KeyTreeBranch(unmanaged)
            for index in 0..<branch.count { visit(branch.children[index]) }
        }
        root.map(visit)
        return nodes
    }

    private typealias Separator = KeyTreeBranch.Separator

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
            _ node: Unmanaged<KeyTreeNode>, height: Int, isLast: Bool, low: Separator?,
            high: Separator?
        ) {
            expect(node.height == height, "a node is at the wrong height")
            guard broken == nil else { return }
            if node.isLeaf {
                visit(KeyTreeLeaf(node), isLast: isLast, low: low, high: high)
                return
            }
            let branch = KeyTreeBranch(node)
            let countMin = isLast ? 2 : KeyTreeBranch.childrenMin
            expect(branch.count >= countMin, "a branch has too few children")
            expect(branch.count <= KeyTreeBranch.childrenMax, "a branch has too many children")
            expect(branch.count <= branch.capacity, "a branch is fuller than its capacity")
            for index in 0..<branch.count {
                let isLastChild = index == branch.count - 1
                visit(
                    branch.child(at: index), height: height - 1,
                    isLast: isLast && isLastChild,
                    low: index == 0 ? low : branch.separators[index - 1],
                    high: isLastChild ? high : branch.separators[index])
            }
        }

        private mutating func visit(
            _ leaf: KeyTreeLeaf, isLast: Bool, low: Separator?, high: Separator?
        ) {
            let countMin = isLast ? 1 : KeyTreeLeaf.entriesMin
            expect(leaf.count >= countMin, "a leaf has too few entries")
            expect(leaf.count <= KeyTreeLeaf.entriesMax, "a leaf has too many entries")
            expect(leaf.count <= leaf.capacity, "a leaf is fuller than its capacity")
            for index in 0..<leaf.count {
                let entry = leaf.entries[index]
                let place = Separator(key: entry.key, id: entry.row.id)
                if let previous { expect(Self.isLess(previous, place), "entries do not ascend") }
                if let low { expect(!Self.isLess(place, low), "an entry is below its separator") }
                if let high { expect(Self.isLess(place, high), "an entry is above its separator") }
                previous = place
            }
            entriesFound += leaf.count
        }

        private static func isLess(_ a: Separator, _ b: Separator) -> Bool {
            a.key == b.key ? a.id < b.id : a.key < b.key
        }
    }
}
