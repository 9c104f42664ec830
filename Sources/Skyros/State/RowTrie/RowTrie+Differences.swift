/// What differs between two tries of which one was made from a copy of the other.
extension RowTrie {
    /// Whether both are copies of one trie, and neither was changed since. O(1).
    func isIdentical(to other: RowTrie) -> Bool { tree === other.tree }

    /// Calls `body` with each row that differs from the row with its id in `newer`: nil where there
    /// is none. It ends when `body` returns false.
    ///
    /// Nodes that both share are skipped.
    ///
    /// - Complexity: O(m log n) for m differences, if one was made from a copy of the other;
    ///   otherwise O(n).
    func forEachDifference(
        to newer: RowTrie, _ body: (_ before: Row?, _ after: Row?) throws -> Bool
    ) rethrows {
        if isIdentical(to: newer) { return }
        _ = try Self.compare(root.map { [$0] } ?? [], newer.root.map { [$0] } ?? [], body)
    }

    /// Compares the nodes that cover the same hashes in the two tries.
    private static func compare(
        _ old: [RowTrieNode], _ new: [RowTrieNode], _ body: (Row?, Row?) throws -> Bool
    ) rethrows -> Bool {
        if old == new { return true }
        guard old.count == 1, new.count == 1, !old[0].isLeaf, !new[0].isLeaf else {
            return try compareRows(of: old, new, body)
        }
        let (a, b) = (RowTrieBranch(old[0]), RowTrieBranch(new[0]))
        // At these slots a child begins in both: the children up to the next one cover the same.
        var common = a.starts & b.starts
        var (indexA, indexB) = (0, 0)
        while common != 0 {
            common &= common &- 1
            let end = common == 0 ? RowTrieBranch.slots : common.trailingZeroBitCount
            let partA = children(of: a, &indexA, upTo: end)
            let partB = children(of: b, &indexB, upTo: end)
            guard try compare(partA, partB, body) else { return false }
        }
        return true
    }

    /// The children of a branch from `index` on that begin before slot `end`.
    private static func children(
        of branch: RowTrieBranch, _ index: inout Int, upTo end: Int
    ) -> [RowTrieNode] {
        var found: [RowTrieNode] = []
        while index < branch.count, branch.slots(of: index).lowerBound < end {
            if let child = branch.children[index] { found.append(child) }
            index += 1
        }
        return found
    }

    private static func compareRows(
        of old: [RowTrieNode], _ new: [RowTrieNode], _ body: (Row?, Row?) throws -> Bool
    ) rethrows -> Bool {
        var left: [RecordID: Row] = [:]
        for node in old {
            _ = forEach(node) { row in
                left[row.id] = row
                return true
            }
        }
        for node in new {
            let isWanted = try forEach(node) { row in
                let before = left.removeValue(forKey: row.id)
                if before === row { return true }
                return try body(before, row)
            }
            if !isWanted { return false }
        }
        for row in left.values where try !body(row, nil) { return false }
        return true
    }
}
