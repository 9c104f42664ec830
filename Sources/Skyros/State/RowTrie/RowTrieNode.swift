import Synchronization

/// What every node of a `RowTrie` knows about itself.
struct RowTrieHeader: ~Copyable {
    /// How many branches and maps refer to the node.
    let referenceCount = Atomic(1)

    /// Branch: the slots at which a child begins. Leaf: unused.
    var starts: UInt64 = 0

    /// Leaf: the number of rows. Branch: the number of children.
    var count: Int32 = 0

    /// How many rows or children the tail has room for.
    let capacity: Int32

    /// Branch: how many bits of the hash its ancestors have used up. Leaf: unused.
    let shift: Int32

    let isLeaf: Bool
}

/// A reference to a node of a `RowTrie`: a header, and behind it the rows or the children.
///
///     leaf    ┌────────┬─────────────────────────┐
///             │ header │ capacity entries        │
///             └────────┴─────────────────────────┘
///     branch  ┌────────┬─────────────────────────┐
///             │ header │ capacity children       │
///             └────────┴─────────────────────────┘
///
/// Nodes lie in the `NodeArena` of their map and are counted by hand: whoever stores a reference
/// gives up one that it made or retained, and releases the one that stood there before. A node is
/// changed only while exactly one reference to it exists. The contents are reached through
/// `RowTrieLeaf` and `RowTrieBranch`.
struct RowTrieNode: Equatable {
    /// Whole words, so that the tail, whose entries have a word each, ends with a cache line.
    static let headerBytes = 32

    let header: UnsafeMutablePointer<RowTrieHeader>

    var isLeaf: Bool { header.pointee.isLeaf }

    var tail: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(header) + Self.headerBytes
    }

    /// The capacity, at least that given, which fills the block of memory that the node has.
    private static func rounded(_ capacity: Int) -> Int {
        let bytes = headerBytes + capacity * MemoryLayout<UInt>.stride
        let unit = NodeArena.blockUnit
        return ((bytes + unit - 1) / unit * unit - headerBytes) / MemoryLayout<UInt>.stride
    }

    private static func byteCount(_ capacity: Int) -> Int {
        headerBytes + capacity * MemoryLayout<UInt>.stride
    }

    /// A leaf without rows, whose capacity is at least `capacity`.
    static func leaf(capacity: Int, in memory: NodeArena) -> RowTrieNode {
        node(capacity: capacity, shift: 0, isLeaf: true, in: memory)
    }

    /// A branch without children, whose capacity is at least `capacity`.
    static func branch(shift: Int, capacity: Int, in memory: NodeArena) -> RowTrieNode {
        node(capacity: capacity, shift: shift, isLeaf: false, in: memory)
    }

    private static func node(
        capacity: Int, shift: Int, isLeaf: Bool, in memory: NodeArena
    ) -> RowTrieNode {
        let capacity = rounded(capacity)
        let header = memory.allocate(byteCount: byteCount(capacity))
            .bindMemory(to: RowTrieHeader.self, capacity: 1)
        header.initialize(
            to: RowTrieHeader(capacity: Int32(capacity), shift: Int32(shift), isLeaf: isLeaf))
        return RowTrieNode(header: header)
    }

    // MARK: References

    /// Whether exactly one reference to the node exists: then nobody else sees it change.
    var isUnique: Bool {
        header.pointee.referenceCount.load(ordering: .acquiring) == 1
    }

    func retain() {
        header.pointee.referenceCount.add(1, ordering: .relaxed)
    }

    /// Gives up one reference; with the last one the node goes, and what it refers to.
    func release(in memory: NodeArena) {
        let left = header.pointee.referenceCount.subtract(1, ordering: .acquiringAndReleasing)
        guard left.newValue == 0 else { return }
        if isLeaf {
            RowTrieLeaf(self).releaseRows()
        } else {
            RowTrieBranch(self).releaseChildren(in: memory)
        }
        let byteCount = Self.byteCount(Int(header.pointee.capacity))
        header.deinitialize(count: 1)
        memory.free(UnsafeMutableRawPointer(header), byteCount: byteCount)
    }
}

/// A place that owns a reference to a node, or none.
typealias RowTrieSlot = UnsafeMutablePointer<RowTrieNode?>

extension RowTrieSlot {
    /// Puts a node in this place, taking over the reference, and releases the one before.
    func replace(by node: RowTrieNode?, in memory: NodeArena) {
        let old = pointee
        pointee = node
        old?.release(in: memory)
    }

    /// Makes the node in this place one that nobody else refers to, copying it if need be.
    func makeUnique(in memory: NodeArena) {
        guard let node = pointee, !node.isUnique else { return }
        let copy =
            node.isLeaf ? RowTrieLeaf(node).copy(in: memory) : RowTrieBranch(node).copy(in: memory)
        replace(by: copy, in: memory)
    }
}
