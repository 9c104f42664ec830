/// Access to a branch of a `KeyTree`: children, and between each two of them a separator.
///
/// All entries of the child before a separator are less than it, all entries of the child behind
/// it are equal or greater. It need not exist as an entry (any more). Valid while somebody holds
/// the node.
struct KeyTreeBranch {
    /// A key and an id, with which entries are compared.
    struct Separator {
        let key: ByteString
        let id: RecordID
    }

    static let childrenMax = 64

    /// A branch with fewer children is merged with its neighbour, or gets some of the neighbour's.
    static let childrenMin = childrenMax / 4

    /// Merged branches have no more than this, so that the next child does not split them again.
    static let mergedChildrenMax = childrenMax * 3 / 4

    private static let capacityStep = 8

    private let header: UnsafeMutablePointer<KeyTreeHeader>
    let separators: UnsafeMutablePointer<Separator>

    init(_ node: Unmanaged<KeyTreeNode>) {
        let parts = node.parts
        header = parts.header
        separators = parts.tail.assumingMemoryBound(to: Separator.self)
    }

    /// A branch without children, whose capacity is at least `capacity`.
    static func make(height: Int, capacity: Int) -> KeyTreeNode {
        let rounded = (capacity + capacityStep - 1) / capacityStep * capacityStep
        let bytes = MemoryLayout<Separator>.stride + MemoryLayout<KeyTreeNode>.stride
        return KeyTreeNode.make(height: height, capacity: rounded, bytesPerPlace: bytes)
    }

    var count: Int { Int(header.pointee.count) }
    var capacity: Int { Int(header.pointee.capacity) }
    var height: Int { Int(header.pointee.height) }

    /// The children, as owned references to be changed in place.
    var children: UnsafeMutablePointer<KeyTreeNode> {
        UnsafeMutableRawPointer(separators + capacity).assumingMemoryBound(to: KeyTreeNode.self)
    }

    /// The child at `index`, not retained.
    func child(at index: Int) -> Unmanaged<KeyTreeNode> {
        // Raw, because the same word is an owned reference to others.
        UnsafeRawPointer(separators + capacity).load(
            fromByteOffset: index * MemoryLayout<KeyTreeNode>.stride,
            as: Unmanaged<KeyTreeNode>.self)
    }

    /// The place of the child in which this entry is, if it is anywhere.
    func childIndex(for key: ByteString, _ id: RecordID) -> Int {
        KeyTreeNode.partition(count - 1) { index in
            if separators[index].key < key { return true }
            return separators[index].key == key && !(id < separators[index].id)
        }
    }

    /// The place of the child in which the place between the entries in front of a bound and the
    /// others is, or ends.
    ///
    /// - Parameter isAfterKey: Whether the entries with exactly this key are in front of it.
    func childIndex(at key: ByteString, isAfterKey: Bool) -> Int {
        if isAfterKey {
            return KeyTreeNode.partition(count - 1) { !(key < separators[$0].key) }
        }
        return KeyTreeNode.partition(count - 1) { separators[$0].key < key }
    }

    /// Adds a child behind all others, to a branch with room for it.
    ///
    /// - Parameter separator: What divides it from the child before; nil for the first child.
    func append(_ child: KeyTreeNode, behind separator: Separator?) {
        if let separator { (separators + count - 1).initialize(to: separator) }
        (children + count).initialize(to: child)
        header.pointee.count += 1
    }

    /// Puts a child, and the separator in front of it, into a branch with room for it.
    func insert(_ child: KeyTreeNode, behind separator: Separator, at index: Int) {
        let separatorPlace = separators + index - 1
        (separatorPlace + 1).moveInitialize(from: separatorPlace, count: count - index)
        separatorPlace.initialize(to: separator)
        let childPlace = children + index
        (childPlace + 1).moveInitialize(from: childPlace, count: count - index)
        childPlace.initialize(to: child)
        header.pointee.count += 1
    }

    /// Removes the child at `index`, which is not the first, and the separator in front of it.
    func remove(at index: Int) {
        let separatorPlace = separators + index - 1
        separatorPlace.deinitialize(count: 1)
        separatorPlace.moveInitialize(from: separatorPlace + 1, count: count - index - 1)
        let childPlace = children + index
        childPlace.deinitialize(count: 1)
        childPlace.moveInitialize(from: childPlace + 1, count: count - index - 1)
        header.pointee.count -= 1
    }

    /// Moves the children from `index` on to the front of `target`, which has room for them.
    ///
    /// - Parameter separator: What has divided this branch from `target`, if that has children.
    /// - Returns: What divides them now; nil if no child is left here.
    func moveTail(from index: Int, to target: KeyTreeBranch, separator: Separator?) -> Separator? {
        let moved = count - index
        (target.children + moved).moveInitialize(from: target.children, count: target.count)
        target.children.moveInitialize(from: children + index, count: moved)

        (target.separators + moved).moveInitialize(
            from: target.separators, count: max(0, target.count - 1))
        if let separator { (target.separators + moved - 1).initialize(to: separator) }
        target.separators.moveInitialize(from: separators + index, count: moved - 1)
        target.header.pointee.count += Int32(moved)
        header.pointee.count = Int32(index)
        return index == 0 ? nil : (separators + index - 1).move()
    }

    /// Moves the first `moved` children to the end of `target`, which has children already.
    ///
    /// - Parameter separator: What has divided `target` from this branch.
    /// - Returns: What divides them now; nil if no child is left here.
    func moveHead(_ moved: Int, to target: KeyTreeBranch, separator: Separator) -> Separator? {
        (target.children + target.count).moveInitialize(from: children, count: moved)
        children.moveInitialize(from: children + moved, count: count - moved)

        (target.separators + target.count - 1).initialize(to: separator)
        (target.separators + target.count).moveInitialize(from: separators, count: moved - 1)
        let isEmptied = moved == count
        let divides = isEmptied ? nil : (separators + moved - 1).move()
        separators.moveInitialize(from: separators + moved, count: max(0, count - moved - 1))
        target.header.pointee.count += Int32(moved)
        header.pointee.count -= Int32(moved)
        return divides
    }

    /// The same children in a new branch of the given capacity, which takes them over.
    func moved(capacity: Int) -> KeyTreeNode {
        let node = Self.make(height: height, capacity: capacity)
        let target = KeyTreeBranch(Unmanaged.passUnretained(node))
        _ = moveTail(from: 0, to: target, separator: nil)
        return node
    }

    /// The same children in a new branch with room for one more, unless that one would split it.
    func copy() -> KeyTreeNode {
        let node = Self.make(height: height, capacity: min(count + 1, Self.childrenMax))
        let target = KeyTreeBranch(Unmanaged.passUnretained(node))
        // One by one: `initialize(from:count:)` goes through value witnesses.
        for index in 0..<count - 1 {
            (target.separators + index).initialize(to: separators[index])
        }
        for index in 0..<count { (target.children + index).initialize(to: children[index]) }
        target.header.pointee.count = header.pointee.count
        return node
    }

    func releaseContents() {
        for index in 0..<max(0, count - 1) { (separators + index).deinitialize(count: 1) }
        for index in 0..<count { child(at: index).release() }
    }
}
