/// Rows by id: a persistent hash trie, O(1) to copy, whose copies share what they have in common.
///
/// A change copies the nodes from the root to the changed leaf that another copy of the map also
/// refers to, and changes all others in place; a map of which no copy exists is changed in place
/// throughout. A copy never sees the changes of another (P8).
///
/// Leaves are buckets of up to 32 rows; a full one is split in two by the next bit of the hash, as
/// in extendible hashing, so leaves stay half to completely full. Branches use six bits of the
/// hash each. A lookup in a million rows reads three branches that stay in the cache, one leaf and
/// the row itself. The nodes lie close together, in a memory of their own (`NodeArena`).
///
/// - Complexity: Finding, inserting and removing are O(log n), with a base of 64 for hashes that
///   are spread well; equal hashes are searched one by one.
/// - Note: `@unchecked` because the nodes are mutable objects. They are changed only while one
///   reference to them exists, which is then the changing map's own; what is shared is only read.
struct RowTrie: @unchecked Sendable {
    /// The number of rows. O(1).
    private(set) var count = 0

    private var tree = RowTrieRoot()

    init() {}

    var root: RowTrieNode? { tree.root.pointee }

    /// The bytes that the nodes of this map take, and those of its copies that it does not share.
    var nodeBytes: Int { tree.memory.usedBytes }

    /// The row with this id, if there is one.
    ///
    /// - Parameter hash: The hash of `id`, by the same function as that of all rows of the map.
    @inline(__always)
    func find(id: RecordID, hash: UInt64) -> Row? {
        unmanagedFind(id: id, hash: hash)?.takeUnretainedValue()
    }

    /// The row with this id, not retained: valid while the caller holds the map unchanged.
    @inline(__always)
    func unmanagedFind(id: RecordID, hash: UInt64) -> Unmanaged<Row>? {
        guard let (leaf, shift) = leaf(for: hash) else { return nil }
        let fingerprint = RowTrieLeaf.fingerprint(hash, shift: shift)
        return leaf.index(of: id, fingerprint: fingerprint).map { leaf.entries[$0].row }
    }

    /// The row with this number, which is unique, if its id has this hash.
    func find(number: UInt64, hash: UInt64) -> Row? {
        guard let (leaf, _) = leaf(for: hash) else { return nil }
        for index in 0..<leaf.count {
            let isWanted = leaf.entries[index].row._withUnsafeGuaranteedRef { row in
                row.hash == hash && row.number == number
            }
            if isWanted { return leaf.entries[index].row.takeUnretainedValue() }
        }
        return nil
    }

    /// The leaf that rows with this hash are in, and the shift of the branch above it.
    @inline(__always)
    private func leaf(for hash: UInt64) -> (RowTrieLeaf, shift: Int)? {
        guard var node = tree.root.pointee else { return nil }
        var shift = 0
        while !node.isLeaf {
            let branch = RowTrieBranch(node)
            guard let child = branch.children[branch.index(of: hash)] else { return nil }
            shift = branch.shift
            node = child
        }
        return (RowTrieLeaf(node), shift)
    }

    /// Adds a row, and returns the row that had its id until now, if there was one.
    @discardableResult
    mutating func insert(_ row: Row) -> Row? {
        makeTreeUnique()
        let replaced = RowTrieInsertion(memory: tree.memory).insert(row, at: tree.root)
        if replaced == nil { count += 1 }
        return replaced
    }

    /// Removes and returns the row with this id; a map without such a row stays as it is.
    @discardableResult
    mutating func remove(id: RecordID, hash: UInt64) -> Row? {
        guard unmanagedFind(id: id, hash: hash) != nil else { return nil }
        makeTreeUnique()
        count -= 1
        return RowTrieRemoval(memory: tree.memory).remove(id, hash: hash, at: tree.root, shift: 0)
    }

    private mutating func makeTreeUnique() {
        if !isKnownUniquelyReferenced(&tree) { tree = RowTrieRoot(sharing: tree) }
    }

    /// All rows, not retained: valid while the caller holds the map unchanged. In the order of the
    /// hashes. O(n).
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

    private static func forEach(
        _ node: RowTrieNode, _ body: (Row) throws -> Bool
    ) rethrows -> Bool {
        if node.isLeaf {
            let leaf = RowTrieLeaf(node)
            for index in 0..<leaf.count {
                let goesOn = try leaf.entries[index].row._withUnsafeGuaranteedRef { try body($0) }
                if !goesOn { return false }
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
