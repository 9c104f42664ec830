/// Access to the items of a node of a `IndexBTree`. Valid while somebody holds the node.
///
/// An item of a leaf is an entry: a key and its row. An item of a branch is a child, and in front
/// of it a separator, a key and an id: all entries of the children before are less, all of this
/// child and of those behind are equal or greater. A separator need not exist as an entry. The
/// first child of a branch has no separator; its key is empty and never looked at.
struct NodeView {
    /// Where a key's suffix is: how many bytes, and where on the heap those behind the head are.
    struct Suffix {
        var restOffset: UInt32
        var count: UInt32
    }

    static let headBytes = MemoryLayout<UInt64>.size

    let header: UnsafeMutablePointer<IndexBTreeHeader>

    /// Behind the prefix.
    private let tail: UnsafeMutableRawPointer

    init(_ node: IndexBTreeNode) {
        header = node.header
        tail =
            UnsafeMutableRawPointer(node.header) + IndexBTreeNode.headerBytes
            + Self.prefixBytes(Int(node.header.pointee.prefixCount))
    }

    /// How many bytes of a node there are in front of its heap.
    static func fixedBytes(height: Int, prefixCount: Int) -> Int {
        // Heads, payloads and suffixes, and ids in a branch.
        let itemBytes = 3 * partBytes + (height == 0 ? 0 : idBytes)
        return IndexBTreeNode.headerBytes + prefixBytes(prefixCount) + itemBytes
    }

    /// How many bytes a prefix takes: whole words, for what comes behind it.
    private static func prefixBytes(_ count: Int) -> Int {
        (count + 7) & ~7
    }

    private static let partBytes = IndexBTreeNode.itemsMax * MemoryLayout<UInt64>.stride
    private static let idBytes = IndexBTreeNode.itemsMax * MemoryLayout<RecordID>.stride

    var count: Int { Int(header.pointee.count) }
    var height: Int { Int(header.pointee.height) }
    var isLeaf: Bool { header.pointee.height == 0 }
    var prefixCount: Int { Int(header.pointee.prefixCount) }

    /// The size of the block of memory in which the node lies.
    var byteCount: Int {
        Self.fixedBytes(height: height, prefixCount: prefixCount)
            + Int(header.pointee.heapCapacity)
    }

    /// The index of the first item that has a key.
    var firstKeyed: Int { isLeaf ? 0 : 1 }

    /// What all keys begin with.
    var prefix: UnsafeRawBufferPointer {
        let start = UnsafeMutableRawPointer(header) + IndexBTreeNode.headerBytes
        return UnsafeRawBufferPointer(start: start, count: prefixCount)
    }

    var heads: UnsafeMutablePointer<UInt64> {
        tail.assumingMemoryBound(to: UInt64.self)
    }

    /// The rows of a leaf, each an owned reference.
    var rows: UnsafeMutablePointer<Unmanaged<Row>> {
        part(1).assumingMemoryBound(to: Unmanaged<Row>.self)
    }

    /// The children of a branch, each an owned reference.
    var children: IndexBTreeSlot {
        part(1).assumingMemoryBound(to: IndexBTreeNode.self)
    }

    var suffixes: UnsafeMutablePointer<Suffix> {
        part(2).assumingMemoryBound(to: Suffix.self)
    }

    /// The ids of the separators of a branch.
    var ids: UnsafeMutablePointer<RecordID> {
        part(3).assumingMemoryBound(to: RecordID.self)
    }

    /// The rests.
    var heap: UnsafeMutableRawPointer {
        tail + 3 * Self.partBytes + (isLeaf ? 0 : Self.idBytes)
    }

    /// The payloads, as bytes to be moved.
    var payloads: UnsafeMutablePointer<UInt64> {
        part(1).assumingMemoryBound(to: UInt64.self)
    }

    /// The arrays of words in front of the ids, one behind the other.
    private func part(_ index: Int) -> UnsafeMutableRawPointer {
        tail + index * Self.partBytes
    }

    /// How many bytes of the suffix at `index` are on the heap.
    func restCount(at index: Int) -> Int {
        Self.restCount(keyCount: Int(suffixes[index].count), prefixCount: 0)
    }

    /// How many bytes of a key are on the heap of a node whose prefix has `prefixCount` bytes.
    static func restCount(keyCount: Int, prefixCount: Int) -> Int {
        max(0, keyCount - prefixCount - headBytes)
    }

    func keyCount(at index: Int) -> Int {
        prefixCount + Int(suffixes[index].count)
    }

    /// Calls `body` with the whole key at `index`, valid for the call only.
    func withKey<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let suffixCount = Int(suffixes[index].count)
        // The head is written whole, so there is room for all of it.
        let room = prefixCount + max(suffixCount, Self.headBytes)
        return try withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { buffer in
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

    /// The key at `index`, as a string of its own.
    func key(at index: Int) -> ByteString {
        withKey(at: index) { ByteString($0) }
    }
}
