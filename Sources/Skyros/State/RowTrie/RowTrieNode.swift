import Synchronization

/// The first bytes of every node of a `RowTrie`.
struct RowTrieHeader: ~Copyable {
    /// The number of branches and roots that refer to the node.
    let referenceCount = Atomic(1)

    /// Branch: the slots at which a child begins. Leaf: unused.
    var starts: UInt64 = 0

    /// Leaf: the number of rows. Branch: the number of children.
    var count: Int32 = 0

    /// The number of rows or children that fit into the block.
    let capacity: Int32

    /// Branch: the number of bits of the hash that its ancestors have used up. Leaf: unused.
    let shift: Int32

    let isLeaf: Bool
}

/// A reference to a node of a `RowTrie`: a header, and after it the rows or the children.
///
///     leaf    ┌────────┬─────────────────────────┐
///             │ header │ capacity entries        │
///             └────────┴─────────────────────────┘
///     branch  ┌────────┬─────────────────────────┐
///             │ header │ capacity children       │
///             └────────┴─────────────────────────┘
///
/// The contents are reached through `RowTrieLeaf` and `RowTrieBranch`.
struct RowTrieNode: ArenaNode {
    /// A multiple of a word, so that the entries, a word each, end with a cache line.
    static let headerBytes = 32

    let header: UnsafeMutablePointer<RowTrieHeader>

    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(header) }

    var isLeaf: Bool { header.pointee.isLeaf }

    /// The entries or the children.
    var tail: UnsafeMutableRawPointer { address + Self.headerBytes }

    var byteCount: Int { Self.byteCount(Int(header.pointee.capacity)) }

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
        // Rounded up to what fits into whole units.
        let unit = NodeArena.blockUnit
        let blockBytes = (byteCount(capacity) + unit - 1) / unit * unit
        let capacity = (blockBytes - headerBytes) / MemoryLayout<UInt>.stride
        let header = memory.allocate(byteCount: byteCount(capacity))
            .bindMemory(to: RowTrieHeader.self, capacity: 1)
        header.initialize(
            to: RowTrieHeader(capacity: Int32(capacity), shift: Int32(shift), isLeaf: isLeaf))
        return RowTrieNode(header: header)
    }

    func copy(in memory: NodeArena) -> RowTrieNode {
        isLeaf ? RowTrieLeaf(self).copy(in: memory) : RowTrieBranch(self).copy(in: memory)
    }

    func releaseContents(in memory: NodeArena) {
        if isLeaf {
            RowTrieLeaf(self).releaseRows()
        } else {
            RowTrieBranch(self).releaseChildren(in: memory)
        }
    }

    static func checkLayout() {
        typealias Branch = RowTrieBranch
        typealias Leaf = RowTrieLeaf
        let word = MemoryLayout<UInt>.stride
        precondition(MemoryLayout<RowTrieHeader>.size <= headerBytes && headerBytes % word == 0)
        precondition(MemoryLayout<RowTrieHeader>.alignment <= NodeArena.blockUnit)
        precondition(MemoryLayout<Leaf.Entry>.stride == word)
        precondition(MemoryLayout<RowTrieNode?>.stride == word)
        // A bit of `starts` for each slot, and each bit of the hash in one branch.
        precondition(Branch.slots == 1 << Branch.bits && Branch.slots <= UInt64.bitWidth)
        precondition(Branch.shiftMax % Branch.bits == 0)
        precondition(Branch.shiftMax < UInt64.bitWidth)
        precondition(Branch.shiftMax + Branch.bits >= UInt64.bitWidth)
        // A leaf is split by the slots in its fingerprints.
        precondition(UInt16.bitWidth >= Branch.bits)
        precondition(byteCount(Leaf.rowsMax) % NodeArena.blockUnit == 0)
        precondition(byteCount(Branch.slots) <= NodeArena.pooledBytesMax)
        precondition(Leaf.mergedRowsMax < Leaf.rowsMax / 2)
        PointerTag.checkPlatform()
    }
}

/// A place that owns a reference to a node, or none.
typealias RowTrieSlot = UnsafeMutablePointer<RowTrieNode?>
