/// Access to a leaf of a `RowTrie`: a bucket of rows, each with a fingerprint of its hash.
///
/// A fingerprint has 16 bits of the hash, from the shift of the branch above upwards. A lookup
/// compares fingerprints before it reads a row. They are in one word with the row's address, so a
/// lookup waits once for the leaf and once for the row. The lowest six bits of a fingerprint are
/// the row's slot in the branch, so a leaf is split without reading its rows.
///
/// Valid while a reference to the node exists.
struct RowTrieLeaf {
    /// A row, and its fingerprint as the tag.
    typealias Entry = TaggedPointer<Row>

    /// A leaf that holds this many rows is split, unless all bits of the hash are used up.
    ///
    /// With the header they fill four cache lines.
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

    var entries: UnsafeMutablePointer<Entry> { node.tail.assumingMemoryBound(to: Entry.self) }

    /// The place of the row with this id.
    func index(of id: RecordID, fingerprint: UInt16) -> Int? {
        let entries = entries
        let count = count
        var index = 0
        while index < count {
            if entries[index].tag == fingerprint,
                entries[index].object._withUnsafeGuaranteedRef({ $0.id == id })
            {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Adds a row, taking over the reference.
    ///
    /// - Precondition: `count` is less than `capacity`.
    func append(_ entry: Entry) {
        let index = count
        precondition(index < capacity, "a leaf has no place for a row")
        entries[index] = entry
        node.header.pointee.count = Int32(index + 1)
    }

    /// Removes a row, whose reference the caller takes over; the last row moves into its place.
    func take(at index: Int) -> Unmanaged<Row> {
        let last = count - 1
        precondition(0 <= index && index <= last, "a leaf has no such row")
        let row = entries[index].object
        entries[index] = entries[last]
        node.header.pointee.count = Int32(last)
        return row
    }

    /// Moves all rows into `target`, and recomputes their fingerprints.
    func moveRows(to target: RowTrieLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].object, shift: shift))
        }
        forgetRows()
    }

    /// Adds all rows to `target` as well, with the fingerprints for its shift.
    func copyRows(to target: RowTrieLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].object.retain(), shift: shift))
        }
    }

    /// Forgets all references, which the caller has moved elsewhere.
    func forgetRows() {
        node.header.pointee.count = 0
    }

    /// The same rows in a new, larger leaf, which takes over the references.
    func grown(in memory: NodeArena) -> RowTrieNode {
        // Only rows of equal hashes exceed `rowsMax`: grow by halves, not by steps.
        moved(capacity: count < Self.rowsMax ? count + 1 : count + count / 2, in: memory)
    }

    /// The same rows in a new leaf of the given capacity, which takes over the references.
    func moved(capacity: Int, in memory: NodeArena) -> RowTrieNode {
        let target = RowTrieNode.leaf(capacity: capacity, in: memory)
        moveBytes(to: RowTrieLeaf(target))
        forgetRows()
        return target
    }

    /// The same rows in a new leaf with a place for one more, unless that one would split it.
    func copy(in memory: NodeArena) -> RowTrieNode {
        let capacity = count < Self.rowsMax ? count + 1 : count
        let target = RowTrieNode.leaf(capacity: capacity, in: memory)
        moveBytes(to: RowTrieLeaf(target))
        for index in 0..<count { _ = entries[index].object.retain() }
        return target
    }

    func releaseRows() {
        for index in 0..<count { entries[index].object.release() }
    }

    static func fingerprint(_ hash: UInt64, shift: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: hash &>> UInt64(shift))
    }

    private func entry(of row: Unmanaged<Row>, shift: Int) -> Entry {
        let hash = row._withUnsafeGuaranteedRef { $0.hash }
        return Entry(row, tag: Self.fingerprint(hash, shift: shift))
    }

    private func moveBytes(to target: RowTrieLeaf) {
        precondition(count <= target.capacity, "a leaf has no place for the rows of another")
        target.entries.update(from: entries, count: count)
        target.node.header.pointee.count = node.header.pointee.count
    }
}
