import SkyrosDisk

/// Rows by id: a persistent hash trie, O(1) to copy.
///
/// Copies share nodes. A change copies the shared nodes on the path from the root to the changed
/// leaf, and changes all others in place. A copy never sees the changes of another (P8).
///
/// Leaves are buckets of up to 28 rows; a full one is split in two by the next bit of the hash, as
/// in extendible hashing, so leaves stay half to completely full. Each branch uses six bits of the
/// hash. A lookup in a million rows reads three branches, which stay in the cache, one leaf and
/// the row. The nodes are in a `NodeArena`.
///
/// - Complexity: Finding, inserting and removing are O(log n), with a base of 64 for hashes that
///   are spread well; equal hashes are searched one by one.
struct RowTrie: Sendable {
    typealias Root = ArenaRoot<RowTrieNode>

    /// The number of rows. O(1).
    private(set) var count = 0

    private(set) var tree = Root()

    init() {}

    var root: RowTrieNode? { tree.node.pointee }

    /// The bytes of the nodes of this trie, and of those that only its copies have.
    var nodeBytes: Int { tree.memory.usedBytes }

    /// The row with this id, if there is one.
    ///
    /// - Parameter hash: The hash of `id`, by the same function as that of all rows of the trie.
    @inline(__always)
    func find(id: RecordID, hash: UInt64) -> Row? {
        unmanagedFind(id: id, hash: hash)?.takeUnretainedValue()
    }

    /// The row with this id, not retained: valid while the caller keeps the trie unchanged.
    @inline(__always)
    func unmanagedFind(id: RecordID, hash: UInt64) -> Unmanaged<Row>? {
        guard let (leaf, shift) = leaf(for: hash) else { return nil }
        let fingerprint = RowTrieLeaf.fingerprint(hash, shift: shift)
        return leaf.index(of: id, fingerprint: fingerprint).map { leaf.entries[$0].object }
    }

    /// The row with this number, if there is one and its id has this hash.
    func find(number: UInt64, hash: UInt64) -> Row? {
        guard let (leaf, _) = leaf(for: hash) else { return nil }
        for index in 0..<leaf.count {
            let isWanted = leaf.entries[index].object._withUnsafeGuaranteedRef { row in
                row.hash == hash && row.number == number
            }
            if isWanted { return leaf.entries[index].object.takeUnretainedValue() }
        }
        return nil
    }

    /// The leaf of rows with this hash, and the shift of the branch above it.
    @inline(__always)
    private func leaf(for hash: UInt64) -> (RowTrieLeaf, shift: Int)? {
        guard var node = tree.node.pointee else { return nil }
        var shift = 0
        while !node.isLeaf {
            let branch = RowTrieBranch(node)
            guard let child = branch.children[branch.index(of: hash)] else { return nil }
            shift = branch.shift
            node = child
        }
        return (RowTrieLeaf(node), shift)
    }

    /// Adds a row, and returns the row that it replaces, if any.
    @discardableResult
    mutating func insert(_ row: Row) -> Row? {
        makeTreeUnique()
        let replaced = RowTrieInsertion(memory: tree.memory).insert(row, at: tree.node)
        if replaced == nil { count += 1 }
        if InvariantChecks.isEnabled { checkInvariants(near: row.hash) }
        return replaced
    }

    /// Removes and returns the row with this id, if there is one.
    @discardableResult
    mutating func remove(id: RecordID, hash: UInt64) -> Row? {
        guard unmanagedFind(id: id, hash: hash) != nil else { return nil }
        makeTreeUnique()
        count -= 1
        let removal = RowTrieRemoval(memory: tree.memory)
        let removed = removal.remove(id, hash: hash, at: tree.node, shift: 0)
        if InvariantChecks.isEnabled { checkInvariants(near: hash) }
        return removed
    }

    private mutating func makeTreeUnique() {
        if !isKnownUniquelyReferenced(&tree) { tree = Root(sharing: tree) }
    }

    /// All rows in the order of their hashes, not retained: valid while the caller keeps the trie
    /// unchanged. O(n).
    func all() -> [Unmanaged<Row>] {
        var all: [Unmanaged<Row>] = []
        all.reserveCapacity(count)
        forEach { row in
            all.append(Unmanaged.passUnretained(row))
            return true
        }
        return all
    }

    /// Calls `body` with every row, in no particular order, until it returns false. O(n).
    func forEach(_ body: (Row) throws -> Bool) rethrows {
        guard let root else { return }
        _ = try Self.forEach(root, body)
    }

    static func forEach(
        _ node: RowTrieNode, _ body: (Row) throws -> Bool
    ) rethrows -> Bool {
        if node.isLeaf {
            let leaf = RowTrieLeaf(node)
            for index in 0..<leaf.count {
                let isWanted = try leaf.entries[index].object._withUnsafeGuaranteedRef {
                    try body($0)
                }
                if !isWanted { return false }
            }
            return true
        }
        let branch = RowTrieBranch(node)
        for index in 0..<branch.count {
            guard let child = branch.children[index] else { continue }
            if try !forEach(child, body) { return false }
        }
        return true
    }
}
