/// The nodes of a `RowMap`, and the memory that they lie in. Maps that were copied share it until
/// one of them is changed.
///
/// - Note: `@unchecked` because of the pointer. `root` is changed only by a map that nobody else
///   shares this object with.
final class RowMapTree: @unchecked Sendable {
    let memory: NodeMemory

    /// Behind a pointer: for a property of a class the runtime would keep a record of each access.
    let root = RowMapSlot.allocate(capacity: 1)

    /// A tree without rows.
    init() {
        memory = NodeMemory()
        root.initialize(to: nil)
    }

    /// A tree of the same nodes.
    init(sharing other: RowMapTree) {
        memory = other.memory
        other.root.pointee?.retain()
        root.initialize(to: other.root.pointee)
    }

    deinit {
        root.pointee?.release(in: memory)
        root.deallocate()
    }
}
