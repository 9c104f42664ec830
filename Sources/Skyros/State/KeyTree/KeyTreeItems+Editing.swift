extension KeyTreeItems {
    /// Whether an item with this key can be added without moving the node.
    func hasRoom(for key: UnsafeRawBufferPointer) -> Bool {
        guard count < capacity, order(ofPrefixTo: key) == 0 else { return false }
        let rest = Self.restCount(keyCount: key.count, prefixCount: prefixCount)
        return Int(header.pointee.heapCapacity) - Int(header.pointee.heapCount) >= rest
    }

    /// Adds an entry to a leaf with room for it, taking over the reference.
    func insert(_ row: Unmanaged<Row>, _ key: UnsafeRawBufferPointer, at index: Int) {
        insertKey(key, at: index)
        rows[index] = row
    }

    /// Adds a child, and the separator in front of it, to a branch with room for it.
    func insert(
        _ child: Unmanaged<KeyTreeNode>, _ key: UnsafeRawBufferPointer, _ id: RecordID,
        at index: Int
    ) {
        insertKey(key, at: index)
        payloads.withMemoryRebound(to: Unmanaged<KeyTreeNode>.self, capacity: count) {
            $0[index] = child
        }
        let place = ids + index
        (place + 1).moveInitialize(from: place, count: count - 1 - index)
        place.initialize(to: id)
    }

    /// Adds the first child of a branch, which has no separator.
    func insertFirst(_ child: Unmanaged<KeyTreeNode>) {
        header.pointee.count = 1
        heads[0] = 0
        suffixes[0] = Suffix(restOffset: 0, count: 0)
        payloads.withMemoryRebound(to: Unmanaged<KeyTreeNode>.self, capacity: 1) { $0[0] = child }
        ids.initialize(to: RecordID(ByteString([])))
    }

    /// Removes the item at `index`, giving up its reference.
    func remove(at index: Int) {
        if isLeaf {
            rows[index].release()
        } else {
            child(at: index).release()
            let place = ids + index
            place.deinitialize(count: 1)
            place.moveInitialize(from: place + 1, count: count - index - 1)
        }
        let behind = count - index - 1
        (heads + index).update(from: heads + index + 1, count: behind)
        (payloads + index).update(from: payloads + index + 1, count: behind)
        (suffixes + index).update(from: suffixes + index + 1, count: behind)
        header.pointee.count -= 1
    }

    /// The same items in a new node.
    func copy() -> KeyTreeNode {
        let heapCount = Int(header.pointee.heapCount)
        let prefix = UnsafeRawBufferPointer(start: heap, count: prefixCount)
        let node = KeyTreeNode.make(
            height: height, capacity: capacity, heapBytes: Int(header.pointee.heapCapacity),
            prefix: prefix)
        let target = KeyTreeItems(Unmanaged.passUnretained(node))
        target.heads.update(from: heads, count: count)
        target.payloads.update(from: payloads, count: count)
        target.suffixes.update(from: suffixes, count: count)
        target.heap.copyMemory(from: heap, byteCount: heapCount)
        target.header.pointee.heapCount = header.pointee.heapCount
        target.header.pointee.count = header.pointee.count
        retainPayloads()
        if !isLeaf {
            // One by one: `initialize(from:count:)` goes through value witnesses.
            for index in 0..<count { (target.ids + index).initialize(to: ids[index]) }
        }
        return node
    }

    /// Whether the items of the other node can be taken over as they lie there, with so many
    /// bytes left on the heap. What was removed from the other node still lies on its heap.
    func canTakeAll(of other: KeyTreeItems, leaving heapBytes: Int) -> Bool {
        prefixCount == other.prefixCount && capacity >= other.count
            && Int(header.pointee.heapCapacity) >= Int(other.header.pointee.heapCount) + heapBytes
    }

    /// Takes over the items of a node with the same prefix, in a node without items that has room
    /// for them. The other node then forgets them.
    func takeAll(of other: KeyTreeItems) {
        let heapCount = Int(other.header.pointee.heapCount)
        heads.update(from: other.heads, count: other.count)
        payloads.update(from: other.payloads, count: other.count)
        suffixes.update(from: other.suffixes, count: other.count)
        heap.copyMemory(from: other.heap, byteCount: heapCount)
        header.pointee.heapCount = other.header.pointee.heapCount
        header.pointee.count = other.header.pointee.count
        if !isLeaf {
            for index in 0..<count { (ids + index).initialize(to: other.ids[index]) }
        }
    }

    /// Gives up the payloads, to which the caller has moved the references.
    func forgetAll() {
        releaseIDs()
        header.pointee.count = 0
    }

    func releaseAll() {
        if isLeaf {
            for index in 0..<count { rows[index].release() }
        } else {
            for index in 0..<count { child(at: index).release() }
        }
        releaseIDs()
    }

    private func retainPayloads() {
        if isLeaf {
            for index in 0..<count { _ = rows[index].retain() }
        } else {
            for index in 0..<count { _ = child(at: index).retain() }
        }
    }

    private func releaseIDs() {
        if isLeaf { return }
        for index in 0..<count { (ids + index).deinitialize(count: 1) }
    }

    /// Makes place for an item, and writes its key; the caller writes the rest.
    private func insertKey(_ key: UnsafeRawBufferPointer, at index: Int) {
        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        let behind = count - index
        let restOffset = header.pointee.heapCount
        let restCount = max(0, suffix.count - Self.headBytes)
        precondition(
            count < capacity
                && Int(restOffset) + restCount <= Int(header.pointee.heapCapacity),
            "An item is added where room was made for it.")
        (heads + index + 1).update(from: heads + index, count: behind)
        (payloads + index + 1).update(from: payloads + index, count: behind)
        (suffixes + index + 1).update(from: suffixes + index, count: behind)
        if restCount > 0, let bytes = suffix.baseAddress {
            (heap + Int(restOffset)).copyMemory(
                from: bytes + Self.headBytes, byteCount: restCount)
        }
        heads[index] = Self.head(of: suffix)
        suffixes[index] = Suffix(restOffset: restOffset, count: UInt32(suffix.count))
        header.pointee.heapCount = restOffset + UInt32(restCount)
        header.pointee.count += 1
    }
}
