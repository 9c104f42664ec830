/// What every node of a `KeyTree` knows about itself.
struct KeyTreeHeader {
    /// Leaf: the number of entries. Branch: the number of children.
    var count: Int32

    /// How many entries or children the tail has room for.
    var capacity: Int32

    /// How far the node is above the leaves; 0 for a leaf.
    var height: Int64
}

/// A node of a `KeyTree`: a header, and behind it, in the same allocation, the contents.
///
///     leaf    ┌────────┬──────────────────────┐
///             │ header │ capacity entries     │
///             └────────┴──────────────────────┘
///     branch  ┌────────┬──────────────────────┬─────────────────────┐
///             │ header │ capacity separators  │ capacity children   │
///             └────────┴──────────────────────┴─────────────────────┘
///
/// One class for both, so that one check of uniqueness and one release serve both. The contents
/// are reached through `KeyTreeLeaf` and `KeyTreeBranch`. A node is changed only while exactly one
/// reference to it exists.
final class KeyTreeNode: ManagedBuffer<KeyTreeHeader, UInt64> {
    /// A node without contents.
    static func make(height: Int, capacity: Int, bytesPerPlace: Int) -> KeyTreeNode {
        let words = capacity * bytesPerPlace / MemoryLayout<UInt64>.stride
        let buffer = KeyTreeNode.create(minimumCapacity: words) { _ in
            KeyTreeHeader(count: 0, capacity: Int32(capacity), height: Int64(height))
        }
        // `create` makes an instance of the class it is called on.
        return unsafeDowncast(buffer, to: KeyTreeNode.self)
    }

    deinit {
        let node = Unmanaged.passUnretained(self)
        if header.height == 0 {
            KeyTreeLeaf(node).releaseEntries()
        } else {
            KeyTreeBranch(node).releaseContents()
        }
    }

    /// Makes the node at `slot` one that nobody else refers to, copying it if need be.
    static func makeUnique(_ slot: UnsafeMutablePointer<KeyTreeNode>) -> Unmanaged<KeyTreeNode> {
        if !isKnownUniquelyReferenced(&slot.pointee) {
            let node = Unmanaged.passUnretained(slot.pointee)
            slot.pointee = node.isLeaf ? KeyTreeLeaf(node).copy() : KeyTreeBranch(node).copy()
        }
        return Unmanaged.passUnretained(slot.pointee)
    }

    /// The first index below `count` whose place is not in front of what is searched.
    ///
    /// - Parameter isInFront: True for the places up to some index, false for all others.
    @inline(__always)
    static func partition(_ count: Int, _ isInFront: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) / 2
            if isInFront(middle) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}

extension Unmanaged<KeyTreeNode> {
    /// The header and the tail behind it; valid while somebody holds the node.
    var parts: (header: UnsafeMutablePointer<KeyTreeHeader>, tail: UnsafeMutableRawPointer) {
        _withUnsafeGuaranteedRef { node in
            node.withUnsafeMutablePointers { ($0, UnsafeMutableRawPointer($1)) }
        }
    }

    var height: Int { Int(parts.header.pointee.height) }
    var isLeaf: Bool { parts.header.pointee.height == 0 }
}
