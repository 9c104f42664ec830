/// The checks of the structure that the tests run after changes.
extension RowTrie {
    /// The first rule that the structure breaks, as a sentence; nil if it keeps all of them. O(n).
    func brokenInvariant() -> String? {
        var rowsFound = 0
        let broken = root.flatMap { Self.broken($0, at: Place(), rowsFound: &rowsFound) }
        if let broken { return broken }
        if rowsFound != count { return "the map counts \(count) rows and holds \(rowsFound)" }
        var unreachable: RecordID?
        forEach { row in
            if find(id: row.id, hash: row.hash) !== row { unreachable = row.id }
            return unreachable == nil
        }
        return unreachable.map { "the row \($0) is not found by its own hash" }
    }

    /// The identities of all nodes, from which a test tells what two maps share.
    var nodes: Set<UnsafeMutableRawPointer> {
        var nodes: Set<UnsafeMutableRawPointer> = []
        func visit(_ node: RowTrieNode) {
            nodes.insert(UnsafeMutableRawPointer(node.header))
            guard !node.isLeaf else { return }
            let branch = RowTrieBranch(node)
            for index in 0..<branch.count { branch.children[index].map(visit) }
        }
        root.map(visit)
        return nodes
    }

    /// Where a node stands: the bits of the hash that its rows share with it.
    private struct Place {
        var shift = 0
        var slots = 0..<RowTrieBranch.slots
        var isRoot = true

        func covers(_ hash: UInt64) -> Bool {
            slots.contains(Int((hash &>> UInt64(shift)) & UInt64(RowTrieBranch.slots - 1)))
        }
    }

    private static func broken(
        _ node: RowTrieNode, at place: Place, rowsFound: inout Int
    ) -> String? {
        if node.isLeaf {
            let leaf = RowTrieLeaf(node)
            rowsFound += leaf.count
            return broken(leaf, at: place)
        }
        return broken(RowTrieBranch(node), at: place, rowsFound: &rowsFound)
    }

    private static func broken(_ leaf: RowTrieLeaf, at place: Place) -> String? {
        if leaf.count == 0 { return "a leaf is empty" }
        if leaf.count > leaf.capacity { return "a leaf is fuller than its capacity" }
        let isIndivisible = place.shift == RowTrieBranch.shiftMax && place.slots.count == 1
        if leaf.count > RowTrieLeaf.rowsMax, !isIndivisible { return "a leaf was not split" }
        for index in 0..<leaf.count {
            let hash = leaf.entries[index].row._withUnsafeGuaranteedRef { $0.hash }
            if !place.covers(hash) { return "a row is in a leaf of other slots" }
            if leaf.entries[index].fingerprint != RowTrieLeaf.fingerprint(hash, shift: place.shift)
            {
                return "a fingerprint is not that of its row"
            }
        }
        return nil
    }

    private static func broken(
        _ branch: RowTrieBranch, at place: Place, rowsFound: inout Int
    ) -> String? {
        if place.slots.count != 1, !place.isRoot { return "a branch covers several slots" }
        if branch.starts & 1 == 0 { return "no child covers the first slot" }
        if branch.starts.nonzeroBitCount != branch.count { return "starts and children differ" }
        if branch.count > branch.capacity { return "a branch is fuller than its capacity" }
        if branch.shift != place.shift + (place.isRoot ? 0 : RowTrieBranch.bits) {
            return "a branch uses the wrong bits of the hash"
        }
        for index in 0..<branch.count {
            let slots = branch.slots(of: index)
            if slots.count.nonzeroBitCount != 1 || slots.lowerBound % slots.count != 0 {
                return "the slots of a child are not a block"
            }
            guard let child = branch.children[index] else { continue }
            let childPlace = Place(shift: branch.shift, slots: slots, isRoot: false)
            if let broken = broken(child, at: childPlace, rowsFound: &rowsFound) { return broken }
        }
        return nil
    }
}
