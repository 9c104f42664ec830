/// Access to a leaf of a `RowMap`: a bucket of rows, each with 16 bits of its hash.
///
/// The fingerprints are the hash's bits from the shift of the branch above upwards. They are
/// scanned before any row is touched, and the lowest six of them are the row's slot in the branch,
/// so a leaf is split without touching its rows. Valid while somebody holds the node.
struct RowMapLeaf {
    /// A leaf that holds this many rows is split, unless all bits of the hash are used up.
    static let rowsMax = 32

    /// Neighbours are merged only when they hold no more than this together: far enough from
    /// `rowsMax` that a removal and an insertion in turn do not merge and split in turn.
    static let mergedRowsMax = 10

    private static let capacityStep = 8

    private let header: UnsafeMutablePointer<RowMapHeader>
    private let tail: UnsafeMutableRawPointer

    init(_ node: Unmanaged<RowMapNode>) {
        (header, tail) = node.parts
    }

    static func rounded(_ capacity: Int) -> Int {
        // Beyond `rowsMax` stand rows of equal hashes alone: grow by halves, not by steps.
        let wanted = capacity <= rowsMax ? capacity : capacity + capacity / 2
        return max(1, (wanted + capacityStep - 1) / capacityStep) * capacityStep
    }

    var count: Int { Int(header.pointee.count) }
    var capacity: Int { Int(header.pointee.capacity) }

    var entries: UnsafeMutablePointer<RowMapEntry> {
        tail.assumingMemoryBound(to: RowMapEntry.self)
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
    func append(_ entry: RowMapEntry) {
        let index = count
        entries[index] = entry
        header.pointee.count = Int32(index + 1)
    }

    /// Takes out a row, giving its reference to the caller; the last row moves into its place.
    func take(at index: Int) -> Unmanaged<Row> {
        let last = count - 1
        let row = entries[index].row
        entries[index] = entries[last]
        header.pointee.count = Int32(last)
        return row
    }

    /// Moves all rows into `target`, which has room for them, and recomputes their fingerprints.
    func moveRows(to target: RowMapLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].row, shift: shift))
        }
        forgetRows()
    }

    /// Adds all rows to `target` as well, which has room for them, with fingerprints of its own.
    func copyRows(to target: RowMapLeaf, shift: Int) {
        for index in 0..<count {
            target.append(entry(of: entries[index].row.retain(), shift: shift))
        }
    }

    /// Gives up all references, which the caller has moved elsewhere.
    func forgetRows() {
        header.pointee.count = 0
    }

    /// The same rows in a new leaf of the given capacity, which takes over the references.
    func moved(capacity: Int) -> RowMapNode {
        let node = RowMapNode.leaf(capacity: capacity)
        moveBytes(to: RowMapLeaf(Unmanaged.passUnretained(node)))
        forgetRows()
        return node
    }

    /// The same rows in a new leaf with room for one more, unless that one would split it.
    func copy() -> RowMapNode {
        let node = RowMapNode.leaf(capacity: count < Self.rowsMax ? count + 1 : count)
        let target = RowMapLeaf(Unmanaged.passUnretained(node))
        moveBytes(to: target)
        for index in 0..<count { _ = entries[index].row.retain() }
        return node
    }

    func releaseRows() {
        for index in 0..<count { entries[index].row.release() }
    }

    static func fingerprint(_ hash: UInt64, shift: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: hash &>> UInt64(shift))
    }

    private func entry(of row: Unmanaged<Row>, shift: Int) -> RowMapEntry {
        let hash = row._withUnsafeGuaranteedRef { $0.hash }
        return RowMapEntry(row, fingerprint: Self.fingerprint(hash, shift: shift))
    }

    private func moveBytes(to target: RowMapLeaf) {
        target.entries.update(from: entries, count: count)
        target.header.pointee.count = header.pointee.count
    }
}
