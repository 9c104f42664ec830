extension NodeView {
    /// Whether the prefix and the heap of the node, which is not full, allow an item with this key.
    func hasSpace(for key: UnsafeRawBufferPointer) -> Bool {
        guard order(ofPrefixTo: key) == 0 else { return false }
        let rest = Self.restCount(keyCount: key.count, prefixCount: prefixCount)
        return Int(header.pointee.heapCapacity) - Int(header.pointee.heapCount) >= rest
    }

    /// Adds an entry to a leaf, taking over the reference.
    ///
    /// - Precondition: The leaf is not full and `hasSpace` for the key.
    func insert(_ row: Unmanaged<Row>, _ key: UnsafeRawBufferPointer, at index: Int) {
        insertKey(key, at: index)
        rows[index] = row
    }

    /// Adds a child, and the separator before it, to a branch, taking over the reference.
    ///
    /// - Precondition: The branch is not full and `hasSpace` for the key.
    func insert(
        _ child: IndexBTreeNode, _ key: UnsafeRawBufferPointer, _ id: RecordID?, at index: Int
    ) {
        insertKey(key, at: index)
        children[index] = child
        let place = ids + index
        (place + 1).moveInitialize(from: place, count: count - 1 - index)
        place.initialize(to: id)
    }

    /// Adds the first child of a branch, which has no separator, taking over the reference.
    func insertFirst(_ child: IndexBTreeNode) {
        precondition(count == 0, "a branch has a first child already")
        header.pointee.count = 1
        heads[0] = 0
        suffixes[0] = Suffix(restOffset: 0, count: 0)
        children[0] = child
        ids.initialize(to: nil)
    }

    /// Removes the item at `index`, whose reference the caller has taken over or released.
    func remove(at index: Int) {
        precondition(0 <= index && index < count, "a node has no such item")
        let following = count - index - 1
        if !isLeaf {
            let place = ids + index
            place.deinitialize(count: 1)
            place.moveInitialize(from: place + 1, count: following)
        }
        (heads + index).update(from: heads + index + 1, count: following)
        (payloads + index).update(from: payloads + index + 1, count: following)
        (suffixes + index).update(from: suffixes + index + 1, count: following)
        header.pointee.count -= 1
    }

    /// The same items in a new node of the same size: a path is copied at each change beside a
    /// snapshot, and must not grow by that.
    func copy(in memory: NodeArena) -> IndexBTreeNode {
        let node = IndexBTreeNode.make(
            height: height, byteCount: byteCount, prefix: prefix, in: memory)
        NodeView(node).fill(with: 0..<count, of: self)
        retainPayloads()
        return node
    }

    /// Adds items of a node with the same prefix, or a shorter one, to a node without items,
    /// taking over their references. Rests of removed items are not copied.
    func fill(with range: Range<Int>, of other: NodeView) {
        if isLeaf { return append(range, of: other) }
        guard let first = range.first else { return }
        insertFirst(other.children[first])
        append(range.dropFirst(), of: other)
    }

    private func append(_ range: Range<Int>, of other: NodeView) {
        let start = count
        let added = range.count
        precondition(start + added <= IndexBTreeNode.itemsMax, "a node has no place for the items")
        (heads + start).update(from: other.heads + range.lowerBound, count: added)
        (payloads + start).update(from: other.payloads + range.lowerBound, count: added)
        (suffixes + start).update(from: other.suffixes + range.lowerBound, count: added)
        header.pointee.count += Int32(added)
        let dropped = prefixCount - other.prefixCount
        if dropped > 0 || other.header.pointee.heapCount > 0 {
            for index in start..<start + added {
                moveSuffix(at: index, dropping: dropped, from: other.heap)
            }
        }
        if !isLeaf {
            // One by one: `initialize(from:count:)` goes through value witnesses.
            for index in 0..<added {
                (ids + start + index).initialize(to: other.ids[range.lowerBound + index])
            }
        }
    }

    /// Turns a suffix that still refers to the heap of another node into one of this node, whose
    /// prefix is longer by `dropping` bytes.
    private func moveSuffix(at index: Int, dropping: Int, from other: UnsafeMutableRawPointer) {
        let oldRest = UnsafeRawBufferPointer(
            start: other + Int(suffixes[index].restOffset), count: restCount(at: index))
        var restStart = dropping
        if dropping >= Self.headBytes {
            let head = UnsafeRawBufferPointer(rebasing: oldRest[(dropping - Self.headBytes)...])
            heads[index] = head.leadingWord
        } else if dropping > 0 {
            let bits = UInt64(8 * dropping)
            heads[index] = heads[index] << bits | oldRest.leadingWord >> (64 - bits)
        }
        restStart = min(restStart, oldRest.count)
        let offset = header.pointee.heapCount
        precondition(
            Int(offset) + oldRest.count - restStart <= Int(header.pointee.heapCapacity),
            "a node's heap has no space for a key")
        if let start = oldRest.baseAddress, restStart < oldRest.count {
            copyShort(
                from: start + restStart, to: heap + Int(offset), size: oldRest.count - restStart)
        }
        suffixes[index].restOffset = offset
        suffixes[index].count -= UInt32(dropping)
        header.pointee.heapCount = offset + UInt32(oldRest.count - restStart)
    }

    /// Forgets the payloads, whose references the caller has moved.
    func forgetAll() {
        releaseIDs()
        header.pointee.count = 0
    }

    func releaseAll(in memory: NodeArena) {
        if isLeaf {
            for index in 0..<count { rows[index].release() }
        } else {
            for index in 0..<count { children[index].release(in: memory) }
        }
        releaseIDs()
    }

    private func retainPayloads() {
        if isLeaf {
            for index in 0..<count { _ = rows[index].retain() }
        } else {
            for index in 0..<count { children[index].retain() }
        }
    }

    private func releaseIDs() {
        if isLeaf { return }
        for index in 0..<count { (ids + index).deinitialize(count: 1) }
    }

    /// Inserts the key of an item; the caller writes the payload.
    private func insertKey(_ key: UnsafeRawBufferPointer, at index: Int) {
        precondition(prefixCount <= key.count && index <= count, "a key does not fit a node")
        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        let following = count - index
        let restOffset = header.pointee.heapCount
        let restCount = max(0, suffix.count - Self.headBytes)
        precondition(
            count < IndexBTreeNode.itemsMax
                && Int(restOffset) + restCount <= Int(header.pointee.heapCapacity),
            "a node has no space for an item")
        if following > 0 {
            (heads + index + 1).update(from: heads + index, count: following)
            (payloads + index + 1).update(from: payloads + index, count: following)
            (suffixes + index + 1).update(from: suffixes + index, count: following)
        }
        if restCount > 0, let bytes = suffix.baseAddress {
            (heap + Int(restOffset)).copyMemory(
                from: bytes + Self.headBytes, byteCount: restCount)
        }
        heads[index] = suffix.leadingWord
        suffixes[index] = Suffix(restOffset: restOffset, count: UInt32(suffix.count))
        header.pointee.heapCount = restOffset + UInt32(restCount)
        header.pointee.count += 1
    }
}
