/// Access to a leaf of a `RowTrie`: a bucket of rows, each with 16 bits of its hash.
///
/// The fingerprints are the hash's bits from the shift of the branch above upwards. They are
/// scanned before any row is touched, and the lowest six of them are the row's slot in the branch,
/// so a leaf is split without touching its rows. Valid while somebody holds the node.
struct RowTrieLeaf {
    /// A leaf that holds this many rows is split, unless all bits of the hash are used up.
    ///
    /// So many fill, with the header, four cache lines.
    static let rowsMax = 28

    /// Neighbours are merged only when they hold no more than this together: far enough from
    /// `rowsMax` that a removal and an insertion in turn do not merge and split in turn.
    static let mergedRowsMax = 10

    private let node: RowTrieNode

    init(_ node: RowTrieNode) {
        self.node = node
    }

    var count: Int { Int(node.header.pointee.count) }
    var capacity: Int { Int(node.header.pointee.capacity) }

    var entries: UnsafeMutablePointer<RowTrieEntry> {
        node.tail.assumingMemoryBound(to: RowTrieEntry.self)
    }

    /// The place of the row with this id.
    func index(of id: RecordID, fingerprint: UInt16) -> Int? {
        let entries = entries
        let count = count
        var index = 0
        while index < count {
            if entries[index].fingerprint == fingerprint,
                entries[index].row._withUnsafeGuaranteedRef({ $0.id == id })
            {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Adds a row to a leaf with room for it, taking over the reference.
    func append(_ entry: RowTrieEntry) {
        let index = count
        entries[index] = entry
        node.header.pointee.count = Int32(index + 1)
    }

    /// Takes out a row, giving its reference to the caller; the last row moves into its place.
    func take(at index: Int) -> Unmanaged<Row> {
        let last = count - 1
        let row = entries[index].row
        entries[index] = entries[last]
        node.header.pointee.count = Int32(last)
        return row
    }

    /// Moves all rows into `target`, which has room for them, and recomputes their fingerprints.
    func moveRows(to target: RowTrieLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].row, shift: shift))
        }
        forgetRows()
    }

    /// Adds all rows to `target` as well, which has room for them, with fingerprints of its own.
    func copyRows(to target: RowTrieLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].row.retain(), shift: shift))
        }
    }

    /// Gives up all references, which the caller has moved elsewhere.
    func forgetRows() {
        node.header.pointee.count = 0
    }

    /// The same rows in a new leaf with room for more, which takes over the references.
    func grown(in memory: NodeArena) -> RowTrieNode {
        // Beyond `rowsMax` stand rows of equal hashes alone: grow by halves, not by steps.
        moved(capacity: count < Self.rowsMax ? count + 1 : count + count / 2, in: memory)
    }

    /// The same rows in a new leaf of the given capacity, which takes over the references.
    func moved(capacity: Int, in memory: NodeArena) -> RowTrieNode {
        let target = RowTrieNode.leaf(capacity: capacity, in: memory)
        moveBytes(to: RowTrieLeaf(target))
        forgetRows()
        return target
    }

    /// The same rows in a new leaf with room for one more, unless that one would split it.
    func copy(in memory: NodeArena) -> RowTrieNode {
        let capacity = count < Self.rowsMax ? count + 1 : count
        let target = RowTrieNode.leaf(capacity: capacity, in: memory)
        moveBytes(to: RowTrieLeaf(target))
        for index in 0..<count { _ = entries[index].row.retain() }
        return target
    }

    func releaseRows() {
        for index in 0..<count { entries[index].row.release() }
    }

    static func fingerprint(_ hash: UInt64, shift: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: hash &>> UInt64(shift))
    }

    private func entry(of row: Unmanaged<Row>, shift: Int) -> RowTrieEntry {
        let hash = row._withUnsafeGuaranteedRef { $0.hash }
        return RowTrieEntry(row, fingerprint: Self.fingerprint(hash, shift: shift))
    }

    private func moveBytes(to target: RowTrieLeaf) {
        target.entries.update(from: entries, count: count)
        target.node.header.pointee.count = node.header.pointee.count
    }
}
