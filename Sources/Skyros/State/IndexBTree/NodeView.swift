/// Access to the items of a node of an `IndexBTree`. Valid while a reference to the node exists.
///
/// An item of a leaf is an entry: a key and its row. An item of a branch is a child and the
/// separator before it, a key and perhaps an id. All entries of the children before are less; all
/// entries of this child and of those after it are equal or greater. A separator need not exist as
/// an entry. The first child of a branch has no separator; its key is empty and never read.
struct NodeView {
    /// The size of a key's suffix, and the offset of its rest on the heap.
    struct Suffix {
        var restOffset: UInt32
        var count: UInt32
    }

    static let headBytes = MemoryLayout<UInt64>.size

    let header: UnsafeMutablePointer<IndexBTreeHeader>

    /// The address after the prefix.
    private let tail: UnsafeMutableRawPointer

    init(_ node: IndexBTreeNode) {
        header = node.header
        tail =
            UnsafeMutableRawPointer(node.header) + IndexBTreeNode.headerBytes
            + Self.prefixBytes(Int(node.header.pointee.prefixCount))
    }

    /// The size of a node without its heap.
    static func fixedBytes(height: Int, prefixCount: Int) -> Int {
        // Heads, payloads and suffixes, and ids in a branch.
        let itemBytes = 3 * partBytes + (height == 0 ? 0 : idBytes)
        return IndexBTreeNode.headerBytes + prefixBytes(prefixCount) + itemBytes
    }

    /// The size of a prefix, rounded up to whole words for the alignment of what follows.
    private static func prefixBytes(_ count: Int) -> Int {
        (count + 7) & ~7
    }

    private static let partBytes = IndexBTreeNode.itemsMax * MemoryLayout<UInt64>.stride
    private static let idBytes = IndexBTreeNode.itemsMax * MemoryLayout<RecordID?>.stride

    var count: Int { Int(header.pointee.count) }
    var height: Int { Int(header.pointee.height) }
    var isLeaf: Bool { header.pointee.height == 0 }
    var prefixCount: Int { Int(header.pointee.prefixCount) }

    /// The size of the node's block.
    var byteCount: Int {
        Self.fixedBytes(height: height, prefixCount: prefixCount)
            + Int(header.pointee.heapCapacity)
    }

    /// The index of the first item that has a key.
    var firstKeyed: Int { isLeaf ? 0 : 1 }

    /// The common prefix of all keys.
    var prefix: UnsafeRawBufferPointer {
        let start = UnsafeMutableRawPointer(header) + IndexBTreeNode.headerBytes
        return UnsafeRawBufferPointer(start: start, count: prefixCount)
    }

    var heads: UnsafeMutablePointer<UInt64> { tail.assumingMemoryBound(to: UInt64.self) }

    /// The rows of a leaf, each an owned reference.
    var rows: UnsafeMutablePointer<Unmanaged<Row>> {
        part(1).assumingMemoryBound(to: Unmanaged<Row>.self)
    }

    /// The children of a branch, each an owned reference.
    var children: IndexBTreeSlot { part(1).assumingMemoryBound(to: IndexBTreeNode.self) }

    var suffixes: UnsafeMutablePointer<Suffix> {
        part(2).assumingMemoryBound(to: Suffix.self)
    }

    /// The ids of the separators of a branch.
    var ids: UnsafeMutablePointer<RecordID?> { part(3).assumingMemoryBound(to: RecordID?.self) }

    /// The rests.
    var heap: UnsafeMutableRawPointer {
        tail + 3 * Self.partBytes + (isLeaf ? 0 : Self.idBytes)
    }

    /// The rows or the children, as words that are moved.
    var payloads: UnsafeMutablePointer<UInt64> {
        part(1).assumingMemoryBound(to: UInt64.self)
    }

    /// The arrays of words before the ids, in their order.
    private func part(_ index: Int) -> UnsafeMutableRawPointer {
        tail + index * Self.partBytes
    }

    /// The number of bytes of the suffix at `index` that are on the heap.
    func restCount(at index: Int) -> Int {
        Self.restCount(keyCount: Int(suffixes[index].count), prefixCount: 0)
    }

    /// The number of bytes of a key that are on the heap of a node with a prefix of `prefixCount`.
    static func restCount(keyCount: Int, prefixCount: Int) -> Int {
        max(0, keyCount - prefixCount - headBytes)
    }

    func keyCount(at index: Int) -> Int {
        prefixCount + Int(suffixes[index].count)
    }

    /// Calls `body` with the whole key at `index`, valid for the call only.
    func withKey<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let suffixCount = Int(suffixes[index].count)
        // The head is always written whole.
        let size = prefixCount + max(suffixCount, Self.headBytes)
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            buffer.copyMemory(from: prefix)
            guard let start = buffer.baseAddress else {
                return try body(UnsafeRawBufferPointer(buffer))
            }
            let suffix = start + prefixCount
            suffix.storeBytes(of: heads[index].bigEndian, as: UInt64.self)
            (suffix + Self.headBytes).copyMemory(
                from: heap + Int(suffixes[index].restOffset), byteCount: restCount(at: index))
            return try body(UnsafeRawBufferPointer(start: start, count: prefixCount + suffixCount))
        }
    }

    /// The key at `index`, copied.
    func key(at index: Int) -> ByteString {
        withKey(at: index) { ByteString($0) }
    }
}
