/// What every node of a `RowMap` knows about itself.
struct RowMapHeader {
    /// Branch: the slots at which a child begins. Leaf: unused.
    var starts: UInt64

    /// Leaf: the number of rows. Branch: the number of children.
    var count: Int32

    /// How many rows or children the tail has room for.
    var capacity: Int32

    /// Branch: how many bits of the hash its ancestors have used up. Leaf: unused.
    var shift: Int32

    var isLeaf: Bool
}

/// A node of a `RowMap`: a header, and behind it, in the same allocation, the rows or the children.
///
///     leaf    ┌────────┬─────────────────────────┐
///             │ header │ capacity entries        │
///             └────────┴─────────────────────────┘
///     branch  ┌────────┬─────────────────────────┐
///             │ header │ capacity children       │
///             └────────┴─────────────────────────┘
///
/// One class for both, so that one check of uniqueness and one release serve both. The contents
/// are reached through `RowMapLeaf` and `RowMapBranch`. A node is changed only while exactly one
/// reference to it exists.
final class RowMapNode: ManagedBuffer<RowMapHeader, UInt64> {
    /// A leaf without rows, whose capacity is at least `capacity`.
    static func leaf(capacity: Int) -> RowMapNode {
        let rounded = RowMapLeaf.rounded(capacity)
        let header = RowMapHeader(
            starts: 0, count: 0, capacity: Int32(rounded), shift: 0, isLeaf: true)
        return node(header, words: rounded)
    }

    /// A branch without children, whose capacity is at least `capacity`.
    static func branch(shift: Int, capacity: Int) -> RowMapNode {
        let rounded = RowMapBranch.rounded(capacity)
        let header = RowMapHeader(
            starts: 0, count: 0, capacity: Int32(rounded), shift: Int32(shift), isLeaf: false)
        return node(header, words: rounded)
    }

    private static func node(_ header: RowMapHeader, words: Int) -> RowMapNode {
        let buffer = RowMapNode.create(minimumCapacity: words) { _ in header }
        // `create` makes an instance of the class it is called on.
        return unsafeDowncast(buffer, to: RowMapNode.self)
    }

    deinit {
        let node = Unmanaged.passUnretained(self)
        if header.isLeaf {
            RowMapLeaf(node).releaseRows()
        } else {
            RowMapBranch(node).releaseChildren()
        }
    }

    /// Makes the node at `slot` one that nobody else refers to, copying it if need be.
    static func makeUnique(_ slot: UnsafeMutablePointer<RowMapNode?>) {
        if isKnownUniquelyReferenced(&slot.pointee) { return }
        guard let shared = slot.pointee else { return }
        let node = Unmanaged.passUnretained(shared)
        slot.pointee =
            shared.header.isLeaf ? RowMapLeaf(node).copy() : RowMapBranch(node).copy()
    }
}

extension Unmanaged<RowMapNode> {
    /// The header and the tail behind it; valid while somebody holds the node.
    var parts: (header: UnsafeMutablePointer<RowMapHeader>, tail: UnsafeMutableRawPointer) {
        _withUnsafeGuaranteedRef { node in
            node.withUnsafeMutablePointers { ($0, UnsafeMutableRawPointer($1)) }
        }
    }

    var isLeaf: Bool { parts.header.pointee.isLeaf }
}
