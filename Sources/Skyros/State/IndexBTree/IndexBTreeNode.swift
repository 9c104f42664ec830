import Synchronization

/// The first bytes of every node of an `IndexBTree`.
struct IndexBTreeHeader: ~Copyable {
    /// The number of branches and roots that refer to the node.
    let referenceCount = Atomic(1)

    /// The number of items: the entries of a leaf, the children of a branch.
    var count: Int32 = 0

    /// The number of levels below the node; 0 for a leaf.
    let height: Int32

    /// The size of the prefix that all keys of the node share.
    let prefixCount: UInt32

    /// The used bytes of the heap, and its size.
    var heapCount: UInt32 = 0
    let heapCapacity: UInt32
}

/// A reference to a node of an `IndexBTree`: a header, and after it the items.
///
///     ┌────────┬────────┬────────────┬───────────┬──────────┬──────────────┬───────────────┐
///     │ header │ prefix │ heads      │ payloads  │ suffixes │ ids          │ heap: rests … │
///     └────────┴────────┴────────────┴───────────┴──────────┴──────────────┴───────────────┘
///                        8 bytes an   row or      offset     of separators;
///                        item         child       and size   branches only
///
/// The prefix that all keys of a node share is stored once. The bytes of a key after the prefix are
/// its suffix. The first eight bytes of a suffix, as a big-endian integer, are the *head*, which
/// decides most comparisons; further bytes, the *rest*, are on the heap of the node.
///
/// Every node has `itemsMax` places for items, so that it grows without being moved and freed
/// blocks fit other nodes; only the heap has the size of its rests.
///
/// The contents are reached through `NodeView`.
struct IndexBTreeNode: ArenaNode {
    static let itemsMax = 64

    /// A node that a removal leaves with fewer items is merged with its neighbour, or gets some of
    /// the neighbour's.
    static let itemsMin = itemsMax / 4

    /// A split leaves at least this many items on either side.
    static let dividedItemsMin = itemsMax / 8

    /// Merged nodes have no more items than this, so that the next insertion does not split them.
    static let mergedItemsMax = itemsMax * 3 / 4

    /// With a short prefix after it, the header fills a cache line.
    static let headerBytes = 32

    let header: UnsafeMutablePointer<IndexBTreeHeader>

    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(header) }

    /// Heaps are rounded up to multiples of this, so that nodes have few sizes.
    private static let heapUnit = 256

    /// A node without items, for keys that all begin with `prefix`.
    ///
    /// - Parameter heapBytes: The minimum size of the heap.
    static func make(
        height: Int, heapBytes: Int, prefix: UnsafeRawBufferPointer, in memory: NodeArena
    ) -> IndexBTreeNode {
        let fixedBytes = NodeView.fixedBytes(height: height, prefixCount: prefix.count)
        let unit = NodeArena.blockUnit
        let heapWanted = (heapBytes + heapUnit - 1) / heapUnit * heapUnit
        let blockBytes = (fixedBytes + heapWanted + unit - 1) / unit * unit
        return make(height: height, byteCount: blockBytes, prefix: prefix, in: memory)
    }

    /// A node without items.
    ///
    /// - Parameter byteCount: The size of its block, which `make(height:heapBytes:prefix:in:)` has
    ///   chosen for the same height and prefix.
    static func make(
        height: Int, byteCount blockBytes: Int, prefix: UnsafeRawBufferPointer,
        in memory: NodeArena
    ) -> IndexBTreeNode {
        let fixedBytes = NodeView.fixedBytes(height: height, prefixCount: prefix.count)
        let header = memory.allocate(byteCount: blockBytes)
            .bindMemory(to: IndexBTreeHeader.self, capacity: 1)
        header.initialize(
            to: IndexBTreeHeader(
                height: Int32(height), prefixCount: UInt32(prefix.count),
                heapCapacity: UInt32(blockBytes - fixedBytes)))
        if let bytes = prefix.baseAddress {
            (UnsafeMutableRawPointer(header) + headerBytes)
                .copyMemory(from: bytes, byteCount: prefix.count)
        }
        return IndexBTreeNode(header: header)
    }

    var byteCount: Int { NodeView(self).byteCount }

    func copy(in memory: NodeArena) -> IndexBTreeNode { NodeView(self).copy(in: memory) }

    func releaseContents(in memory: NodeArena) { NodeView(self).releaseAll(in: memory) }

    static func checkLayout() {
        let word = MemoryLayout<UInt64>.stride
        precondition(MemoryLayout<IndexBTreeHeader>.size <= headerBytes && headerBytes % word == 0)
        precondition(MemoryLayout<IndexBTreeHeader>.alignment <= NodeArena.blockUnit)
        // Payloads of both kinds are moved as words; suffixes have the same size.
        precondition(MemoryLayout<Unmanaged<Row>>.stride == word)
        precondition(MemoryLayout<IndexBTreeNode>.stride == word)
        precondition(MemoryLayout<NodeView.Suffix>.stride == word)
        precondition(MemoryLayout<RecordID?>.alignment <= word && NodeView.headBytes == word)
        precondition(1 < dividedItemsMin && dividedItemsMin <= itemsMin)
        // Neither half of a balanced pair is small again.
        precondition(itemsMin <= mergedItemsMax / 2)
        // A leaf that is built ends where enough entries remain for the last one.
        precondition(mergedItemsMax <= itemsMax - dividedItemsMin)
    }
}

/// A place that owns a reference to a node.
typealias IndexBTreeSlot = UnsafeMutablePointer<IndexBTreeNode>
