/// The nodes of a `RowTrie`, and the memory that they lie in. Maps that were copied share it until
/// one of them is changed.
///
/// - Note: `@unchecked` because of the pointer. `root` is changed only by a map that nobody else
///   shares this object with.
final class RowTrieRoot: @unchecked Sendable {
    let memory: NodeArena

    /// Behind a pointer: for a property of a class the runtime would keep a record of each access.
    let root = RowTrieSlot.allocate(capacity: 1)

    /// A tree without rows.
    init() {
        memory = NodeArena()
        root.initialize(to: nil)
    }

    /// A tree of the same nodes.
    init(sharing other: RowTrieRoot) {
        memory = other.memory
        other.root.pointee?.retain()
        root.initialize(to: other.root.pointee)
    }

    deinit {
        root.pointee?.release(in: memory)
        root.deallocate()
    }
}
