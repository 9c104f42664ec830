/// Access to a branch of a `RowMap`: up to 64 children, told apart by six bits of the hash.
///
/// A child covers a block of slots whose size is a power of two, from its start to the next
/// child's start, so every child has one reference in its branch, however many slots it covers.
/// A child is a leaf, or a branch (which covers one slot), or absent where no row is.
/// Valid while somebody holds the node.
struct RowMapBranch {
    /// The shift of a branch that uses the last bits of the hash.
    static let shiftMax = 60
    static let bits = 6
    static let slots = 64

    private static let capacityStep = 4

    private let header: UnsafeMutablePointer<RowMapHeader>
    private let tail: UnsafeMutableRawPointer

    init(_ node: Unmanaged<RowMapNode>) {
        (header, tail) = node.parts
    }

    static func rounded(_ capacity: Int) -> Int {
        (capacity + capacityStep - 1) / capacityStep * capacityStep
    }

    var count: Int { Int(header.pointee.count) }
    var capacity: Int { Int(header.pointee.capacity) }
    var shift: Int { Int(header.pointee.shift) }
    var starts: UInt64 { header.pointee.starts }

    /// The children, as owned references to be changed in place.
    var children: UnsafeMutablePointer<RowMapNode?> {
        tail.assumingMemoryBound(to: RowMapNode?.self)
    }

    /// The child at `index`, not retained.
    func child(at index: Int) -> Unmanaged<RowMapNode>? {
        // Raw, because the same word is an owned reference to others.
        tail.load(
            fromByteOffset: index * MemoryLayout<RowMapNode?>.stride,
            as: Unmanaged<RowMapNode>?.self)
    }

    /// The place of the child that covers the slot of this hash.
    func index(of hash: UInt64) -> Int {
        let slot = (hash &>> UInt64(header.pointee.shift)) & UInt64(Self.slots - 1)
        // All slots up to and including this one; the shift by 64 wraps to all of them.
        let upTo = (UInt64(2) &<< slot) &- 1
        return (starts & upTo).nonzeroBitCount - 1
    }

    /// The slots that the child at `index` covers.
    func slots(of index: Int) -> Range<Int> {
        var rest = starts
        for _ in 0..<index { rest &= rest &- 1 }
        let start = rest.trailingZeroBitCount
        rest &= rest &- 1
        return start..<rest.trailingZeroBitCount
    }

    /// Puts `child` into a branch with room for it, as the one that begins at `slot`.
    func insert(_ child: consuming RowMapNode?, at index: Int, slot: Int) {
        let place = children + index
        (place + 1).moveInitialize(from: place, count: count - index)
        place.initialize(to: child)
        header.pointee.count += 1
        header.pointee.starts |= 1 &<< UInt64(slot)
    }

    /// Removes the child at `index`, which begins at `slot`; its slots fall to the one before.
    func remove(at index: Int, slot: Int) {
        let place = children + index
        place.deinitialize(count: 1)
        place.moveInitialize(from: place + 1, count: count - index - 1)
        header.pointee.count -= 1
        header.pointee.starts &= ~(1 &<< UInt64(slot))
    }

    /// The same children in a new branch of the given capacity, which takes them over.
    func moved(capacity: Int) -> RowMapNode {
        let node = RowMapNode.branch(shift: shift, capacity: capacity)
        let target = RowMapBranch(Unmanaged.passUnretained(node))
        target.children.moveInitialize(from: children, count: count)
        target.header.pointee.count = header.pointee.count
        target.header.pointee.starts = starts
        header.pointee.count = 0
        return node
    }

    /// The same children in a new branch.
    func copy() -> RowMapNode {
        let node = RowMapNode.branch(shift: shift, capacity: count)
        let target = RowMapBranch(Unmanaged.passUnretained(node))
        target.tail.copyMemory(from: tail, byteCount: count * MemoryLayout<RowMapNode?>.stride)
        target.header.pointee.count = header.pointee.count
        target.header.pointee.starts = starts
        // One by one and not retained, `initialize(from:count:)` goes through value witnesses.
        for index in 0..<count { _ = child(at: index)?.retain() }
        return node
    }

    func releaseChildren() {
        for index in 0..<count { child(at: index)?.release() }
    }
}
