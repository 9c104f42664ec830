/// What every node of a `KeyTree` knows about itself.
struct KeyTreeHeader {
    /// The number of items: the entries of a leaf, the children of a branch.
    var count: Int32

    /// How many items there is room for.
    var capacity: Int32

    /// How far the node is above the leaves; 0 for a leaf.
    var height: Int32

    /// How many bytes at their beginning all keys of the node share.
    var prefixCount: UInt32

    /// How many bytes of the heap are used up, and how many there are.
    var heapCount: UInt32
    var heapCapacity: UInt32
}

/// A node of a `KeyTree`: a header, and behind it, in the same allocation, the items.
///
///     ┌────────┬────────────┬───────────┬──────────┬──────────────┬──────────────────────────┐
///     │ header │ heads      │ payloads  │ suffixes │ ids          │ heap: prefix, rests …    │
///     └────────┴────────────┴───────────┴──────────┴──────────────┴──────────────────────────┘
///               8 bytes an   row or      place and  of separators;
///               item         child       size       branches only
///
/// The bytes that all keys of a node share, its prefix, are stored once. What follows them in a
/// key is its suffix: the first eight bytes of it as a big-endian integer, the *head*, which
/// decides most comparisons, and the rest, if there is any, on the heap of the node.
///
/// One class for leaves and branches, so that one check of uniqueness and one release serve both.
/// The items are reached through `KeyTreeItems`. A node is changed only while exactly one
/// reference to it exists.
final class KeyTreeNode: ManagedBuffer<KeyTreeHeader, UInt64> {
    static let itemsMax = 64

    /// A node with fewer items is merged with its neighbour, or gets some of the neighbour's.
    static let itemsMin = itemsMax / 4

    /// Merged nodes hold no more than this, so that the next item does not split them again.
    static let mergedItemsMax = itemsMax * 3 / 4

    private static let capacityStep = 8

    /// A node without items, for keys that all begin with `prefix`.
    ///
    /// - Parameters:
    ///   - capacity: How many items there shall at least be room for.
    ///   - heapBytes: How many bytes there shall at least be for the prefix and the rests.
    static func make(
        height: Int, capacity: Int, heapBytes: Int, prefix: UnsafeRawBufferPointer
    ) -> KeyTreeNode {
        let steps = (capacity + capacityStep - 1) / capacityStep
        let rounded = max(1, steps) * capacityStep
        let wordBytes = MemoryLayout<UInt64>.stride
        let heapWords = (heapBytes + wordBytes - 1) / wordBytes
        let itemBytes = KeyTreeItems.bytesPerItem(isLeaf: height == 0)
        let words = rounded * itemBytes / wordBytes + heapWords
        let buffer = KeyTreeNode.create(minimumCapacity: words) { _ in
            KeyTreeHeader(
                count: 0, capacity: Int32(rounded), height: Int32(height),
                prefixCount: UInt32(prefix.count), heapCount: UInt32(prefix.count),
                heapCapacity: UInt32(heapWords * wordBytes))
        }
        // `create` makes an instance of the class it is called on.
        let node = unsafeDowncast(buffer, to: KeyTreeNode.self)
        if let bytes = prefix.baseAddress {
            let items = KeyTreeItems(Unmanaged.passUnretained(node))
            items.heap.copyMemory(from: bytes, byteCount: prefix.count)
        }
        return node
    }

    deinit {
        KeyTreeItems(Unmanaged.passUnretained(self)).releaseAll()
    }

    /// Makes the node at `slot` one that nobody else refers to, copying it if need be.
    static func makeUnique(_ slot: UnsafeMutablePointer<KeyTreeNode>) -> KeyTreeItems {
        if !isKnownUniquelyReferenced(&slot.pointee) {
            slot.pointee = KeyTreeItems(Unmanaged.passUnretained(slot.pointee)).copy()
        }
        return KeyTreeItems(Unmanaged.passUnretained(slot.pointee))
    }
}
