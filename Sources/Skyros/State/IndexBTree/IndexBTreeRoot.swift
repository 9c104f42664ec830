/// The nodes of a `IndexBTree`, and the memory that they lie in. Trees that were copied share it until
/// one of them is changed.
///
/// - Note: `@unchecked` because of the pointer. `node` is changed only by a tree that nobody else
///   shares this object with.
final class IndexBTreeRoot: @unchecked Sendable {
    let memory: NodeArena

    /// Behind a pointer: for a property of a class the runtime would keep a record of each access.
    let node = UnsafeMutablePointer<IndexBTreeNode?>.allocate(capacity: 1)

    /// A tree without entries.
    init() {
        memory = NodeArena()
        node.initialize(to: nil)
    }

    /// A tree of the same nodes.
    init(sharing other: IndexBTreeRoot) {
        memory = other.memory
        other.node.pointee?.retain()
        node.initialize(to: other.node.pointee)
    }

    deinit {
        node.pointee?.release(in: memory)
        node.deallocate()
    }
}
