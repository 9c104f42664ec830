import Synchronization

/// What every node of a `IndexBTree` knows about itself.
struct IndexBTreeHeader: ~Copyable {
    /// How many branches and trees refer to the node.
    let referenceCount = Atomic(1)

    /// The number of items: the entries of a leaf, the children of a branch.
    var count: Int32 = 0

    /// How far the node is above the leaves; 0 for a leaf.
    let height: Int32

    /// How many bytes at their beginning all keys of the node share.
    let prefixCount: UInt32

    /// How many bytes of the heap are used up, and how many there are.
    var heapCount: UInt32 = 0
    let heapCapacity: UInt32
}

/// A reference to a node of a `IndexBTree`: a header, and behind it the items.
///
///     ┌────────┬────────┬────────────┬───────────┬──────────┬──────────────┬───────────────┐
///     │ header │ prefix │ heads      │ payloads  │ suffixes │ ids          │ heap: rests … │
///     └────────┴────────┴────────────┴───────────┴──────────┴──────────────┴───────────────┘
///                        8 bytes an   row or      place and  of separators;
///                        item         child       size       branches only
///
/// The bytes that all keys of a node share, its prefix, are stored once. What follows them in a
/// key is its suffix: the first eight bytes of it as a big-endian integer, the *head*, which
/// decides most comparisons, and the rest, if there is any, on the heap of the node.
///
/// Every node has room for `itemsMax` items, so that it grows without being moved, and nodes that
/// were given up are of the size that others need; only the heap has the size that its rests take.
///
/// Nodes lie in the `NodeArena` of their tree and are counted by hand, as those of a `RowTrie`:
/// whoever stores a reference gives up one that it made or retained, and releases the one that
/// stood there before. A node is changed only while exactly one reference to it exists. The
/// contents are reached through `NodeView`.
struct IndexBTreeNode: Equatable {
    static let itemsMax = 64

    /// When a removal leaves fewer items, the node is merged with its neighbour, or gets some of
    /// the neighbour's.
    static let itemsMin = itemsMax / 4

    /// A node that is divided leaves at least so many items on either side.
    static let dividedItemsMin = itemsMax / 8

    /// Merged nodes hold no more than this, so that the next item does not split them again.
    static let mergedItemsMax = itemsMax * 3 / 4

    /// With a short prefix behind it, the header fills a cache line.
    static let headerBytes = 32

    let header: UnsafeMutablePointer<IndexBTreeHeader>

    /// Heaps have multiples of so many bytes, so that there are few sizes of nodes.
    private static let heapUnit = 256

    /// A node without items, for keys that all begin with `prefix`.
    ///
    /// - Parameter heapBytes: How many bytes there shall at least be for the rests.
    static func make(
        height: Int, heapBytes: Int, prefix: UnsafeRawBufferPointer, in memory: NodeArena
    ) -> IndexBTreeNode {
        let fixedBytes = NodeView.fixedBytes(height: height, prefixCount: prefix.count)
        let unit = NodeArena.blockUnit
        let heapWanted = (heapBytes + heapUnit - 1) / heapUnit * heapUnit
        let blockBytes = (fixedBytes + heapWanted + unit - 1) / unit * unit
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
        let items = NodeView(self)
        items.releaseAll(in: memory)
        let byteCount = items.byteCount
        header.deinitialize(count: 1)
        memory.free(UnsafeMutableRawPointer(header), byteCount: byteCount)
    }
}

/// A place that owns a reference to a node.
typealias IndexBTreeSlot = UnsafeMutablePointer<IndexBTreeNode>

extension IndexBTreeSlot {
    /// Puts a node in this place, taking over the reference, and releases the one before.
    func replace(by node: IndexBTreeNode, in memory: NodeArena) {
        let old = pointee
        pointee = node
        old.release(in: memory)
    }

    /// Makes the node in this place one that nobody else refers to, copying it if need be.
    @inline(__always)
    func makeUnique(in memory: NodeArena) {
        if !pointee.isUnique { replace(by: NodeView(pointee).copy(in: memory), in: memory) }
    }
}
