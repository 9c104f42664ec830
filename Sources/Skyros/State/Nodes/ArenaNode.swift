import Synchronization

/// A reference to a node in a `NodeArena`: a header, which begins with a reference count, and the
/// contents after it.
///
/// References are counted by hand. Code that stores a reference takes over one that it made or
/// retained, and releases the one that it overwrites. A node is changed only while exactly one
/// reference to it exists.
protocol ArenaNode: Equatable {
    /// The address of the header, whose first field is an `Atomic<Int>`: the reference count.
    var address: UnsafeMutableRawPointer { get }

    /// The size of the node's block.
    var byteCount: Int { get }

    /// The same contents in a new node, which retains what they refer to.
    func copy(in memory: NodeArena) -> Self

    /// Releases what the contents refer to.
    func releaseContents(in memory: NodeArena)

    /// Stops the process where the constants of the layout contradict each other or the platform.
    /// Optimized builds evaluate it at compile time.
    static func checkLayout()
}

extension ArenaNode {
    private var referenceCount: UnsafeMutablePointer<Atomic<Int>> {
        address.assumingMemoryBound(to: Atomic<Int>.self)
    }

    /// Whether exactly one reference to the node exists: then no other thread sees it change.
    var isUnique: Bool { referenceCount.pointee.load(ordering: .acquiring) == 1 }

    func retain() {
        referenceCount.pointee.add(1, ordering: .relaxed)
    }

    /// Releases one reference; the last one releases the contents and frees the block.
    func release(in memory: NodeArena) {
        let left = referenceCount.pointee.subtract(1, ordering: .acquiringAndReleasing).newValue
        precondition(left >= 0, "a node was released more often than it was retained")
        guard left == 0 else { return }
        releaseContents(in: memory)
        // The header has no fields to be deinitialized: atomics and integers.
        memory.free(address, byteCount: byteCount)
    }
}

/// A place that owns a reference to a node.
extension UnsafeMutablePointer where Pointee: ArenaNode {
    /// Stores a node, taking over the reference, and releases the one before.
    func replace(by node: Pointee, in memory: NodeArena) {
        let old = pointee
        pointee = node
        old.release(in: memory)
    }

    /// Copies the node in this place if other references to it exist.
    @inline(__always)
    func makeUnique(in memory: NodeArena) {
        if !pointee.isUnique { replace(by: pointee.copy(in: memory), in: memory) }
    }
}

/// A place that owns a reference to a node, or none.
extension UnsafeMutablePointer {
    /// Stores a node or nil, taking over the reference, and releases the one before.
    func replace<Node: ArenaNode>(by node: Node?, in memory: NodeArena) where Pointee == Node? {
        let old = pointee
        pointee = node
        old?.release(in: memory)
    }

    /// Copies the node in this place if other references to it exist.
    func makeUnique<Node: ArenaNode>(in memory: NodeArena) where Pointee == Node? {
        guard let node = pointee, !node.isUnique else { return }
        replace(by: node.copy(in: memory), in: memory)
    }
}

/// The root node of a tree, and the arena of its nodes. Copies of a tree share this object until
/// one of them is changed.
///
/// - Note: `@unchecked` because of the pointer: a tree changes `node` only while no other tree
///   shares this object.
final class ArenaRoot<Node: ArenaNode>: @unchecked Sendable {
    let memory: NodeArena

    /// A pointer: for a stored property of a class the runtime would track each access.
    let node = UnsafeMutablePointer<Node?>.allocate(capacity: 1)

    /// The root of an empty tree.
    init() {
        Node.checkLayout()
        memory = NodeArena()
        node.initialize(to: nil)
    }

    /// The root of a tree with the same nodes.
    init(sharing other: ArenaRoot) {
        memory = other.memory
        other.node.pointee?.retain()
        node.initialize(to: other.node.pointee)
    }

    deinit {
        node.pointee?.release(in: memory)
        node.deallocate()
    }
}
