import SkyrosDisk
import Synchronization

/// The invariants of the structure, which are checked after each mutation under `InvariantChecks`.
extension RowTrie {
    /// Stops the process if the mutation of a row with this hash broke an invariant. O(log n); of
    /// many calls, some check the whole trie.
    func checkInvariants(near hash: UInt64) {
        let isWhole = InvariantChecks.isWholeCheckDue(size: count)
        let broken = isWhole ? brokenInvariant() : brokenInvariant(near: hash)
        InvariantChecks.require(broken, in: "a table's row trie")
    }

    /// The first invariant that the path to rows with this hash breaks; nil if none. O(log n).
    private func brokenInvariant(near hash: UInt64) -> String? {
        var rowsFound = 0
        return root.flatMap { Self.broken($0, at: Place(hash: hash), rowsFound: &rowsFound) }
    }

    /// The first invariant that the structure breaks, as a sentence; nil if none. O(n).
    func brokenInvariant() -> String? {
        var rowsFound = 0
        let broken = root.flatMap { Self.broken($0, at: Place(), rowsFound: &rowsFound) }
        if let broken { return broken }
        if rowsFound != count { return "the trie counts \(count) rows and has \(rowsFound)" }
        var unreachable: RecordID?
        forEach { row in
            if find(id: row.id, hash: row.hash) !== row { unreachable = row.id }
            return unreachable == nil
        }
        return unreachable.map { "the row \($0) is not found by its own hash" }
    }

    /// The position of a node: the bits of the hash that its rows have in common.
    private struct Place {
        /// The hash to whose path the check is restricted.
        var hash: UInt64?
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
        if node.header.pointee.referenceCount.load(ordering: .relaxed) < 1 {
            return "a node was released"
        }
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
            let hash = leaf.entries[index].object._withUnsafeGuaranteedRef { $0.hash }
            if !place.covers(hash) { return "a row is in a leaf of other slots" }
            if leaf.entries[index].tag != RowTrieLeaf.fingerprint(hash, shift: place.shift) {
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
            if let hash = place.hash, branch.index(of: hash) != index { continue }
            let childPlace = Place(
                hash: place.hash, shift: branch.shift, slots: slots, isRoot: false)
            if let broken = broken(child, at: childPlace, rowsFound: &rowsFound) { return broken }
        }
        return nil
    }
}
