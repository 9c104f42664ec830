/// Access to a branch of a `RowTrie`: up to 64 children, selected by six bits of the hash.
///
/// A child covers a block of slots whose size is a power of two, from its start to the next
/// child's start, so every child has one reference in its branch, however many slots it covers.
/// A child is a leaf, or a branch (which covers one slot), or absent where no row is.
/// Valid while a reference to the node exists.
struct RowTrieBranch {
    /// The shift of a branch that uses the last bits of the hash.
    static let shiftMax = 60
    static let bits = 6
    static let slots = 64

    private let node: RowTrieNode

    init(_ node: RowTrieNode) {
        self.node = node
    }

    var count: Int { Int(node.header.pointee.count) }
    var capacity: Int { Int(node.header.pointee.capacity) }
    var shift: Int { Int(node.header.pointee.shift) }
    var starts: UInt64 { node.header.pointee.starts }

    var children: RowTrieSlot { node.tail.assumingMemoryBound(to: RowTrieNode?.self) }

    /// The place of the child that covers the slot of this hash.
    func index(of hash: UInt64) -> Int {
        let slot = (hash &>> UInt64(node.header.pointee.shift)) & UInt64(Self.slots - 1)
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

    /// Inserts `child`, which begins at `slot`, taking over the reference.
    ///
    /// - Precondition: `count` is less than `capacity`.
    func insert(_ child: RowTrieNode?, at index: Int, slot: Int) {
        precondition(count < capacity && index <= count, "a branch has no place for a child")
        let place = children + index
        (place + 1).update(from: place, count: count - index)
        place.pointee = child
        node.header.pointee.count += 1
        node.header.pointee.starts |= 1 &<< UInt64(slot)
    }

    /// Removes the child at `index`, which begins at `slot`, without releasing it; the child before
    /// covers its slots.
    func remove(at index: Int, slot: Int) {
        precondition(0 < index && index < count, "the first child of a branch is never removed")
        let place = children + index
        place.update(from: place + 1, count: count - index - 1)
        node.header.pointee.count -= 1
        node.header.pointee.starts &= ~(1 &<< UInt64(slot))
    }

    /// The same children in a new branch with a place for one more, which takes them over.
    func grown(in memory: NodeArena) -> RowTrieNode {
        let target = same(capacity: count + 1, in: memory)
        node.header.pointee.count = 0
        return target
    }

    /// The same children in a new branch.
    func copy(in memory: NodeArena) -> RowTrieNode {
        for index in 0..<count { children[index]?.retain() }
        return same(capacity: count, in: memory)
    }

    func releaseChildren(in memory: NodeArena) {
        for index in 0..<count { children[index]?.release(in: memory) }
    }

    private func same(capacity: Int, in memory: NodeArena) -> RowTrieNode {
        let target = RowTrieNode.branch(shift: shift, capacity: capacity, in: memory)
        RowTrieBranch(target).children.update(from: children, count: count)
        target.header.pointee.count = node.header.pointee.count
        target.header.pointee.starts = starts
        return target
    }
}
