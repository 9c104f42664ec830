import Foundation

extension KeyTreeItems {
    /// The index of the first item that is not in front of a bound.
    ///
    /// - Parameter isAfterKey: Whether the items with exactly this key are in front of it.
    func index(at key: UnsafeRawBufferPointer, isAfterKey: Bool) -> Int {
        let shared = order(ofPrefixTo: key)
        if shared != 0 { return shared < 0 ? count : min(firstKeyed, count) }

        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        let head = Self.head(of: suffix)
        let heads = heads
        return Self.partition(from: firstKeyed, to: count) { index in
            if heads[index] != head { return heads[index] < head }
            let order = orderOfRest(at: index, to: suffix)
            return isAfterKey ? order <= 0 : order < 0
        }
    }

    /// The index of the first entry of a leaf that is not in front of this one, and whether it is
    /// this one.
    func place(of key: UnsafeRawBufferPointer, _ id: RecordID) -> (index: Int, isFound: Bool) {
        let first = index(at: key, isAfterKey: false)
        guard first < count, equals(key, at: first) else { return (first, false) }
        // Most keys are there once: try that before looking where the equal keys end.
        let order = rows[first]._withUnsafeGuaranteedRef { $0.id < id }
        if !order {
            return (first, rows[first]._withUnsafeGuaranteedRef { $0.id == id })
        }
        let end = index(at: key, isAfterKey: true)
        let place = Self.partition(from: first + 1, to: end) { index in
            rows[index]._withUnsafeGuaranteedRef { $0.id < id }
        }
        guard place < end else { return (place, false) }
        return (place, rows[place]._withUnsafeGuaranteedRef { $0.id == id })
    }

    /// The index of the child in which this entry is, if it is anywhere.
    func childIndex(of key: UnsafeRawBufferPointer, _ id: RecordID) -> Int {
        let first = index(at: key, isAfterKey: false)
        guard first < count, equals(key, at: first) else { return first - 1 }
        let end = index(at: key, isAfterKey: true)
        return Self.partition(from: first, to: end) { !(id < ids[$0]) } - 1
    }

    /// The index of the child in which the first item that is not in front of a bound is, unless
    /// that is the first of the child behind.
    func childIndex(at key: UnsafeRawBufferPointer, isAfterKey: Bool) -> Int {
        index(at: key, isAfterKey: isAfterKey) - 1
    }

    /// The order of all keys of the node to `key`, as far as the prefix decides it: negative if
    /// they are less, positive if they are greater, zero if `key` has the same prefix.
    func order(ofPrefixTo key: UnsafeRawBufferPointer) -> Int {
        let prefixCount = prefixCount
        guard prefixCount > 0 else { return 0 }
        guard let bytes = key.baseAddress else { return 1 }
        let order = memcmp(heap, bytes, min(prefixCount, key.count))
        if order != 0 { return Int(order) }
        return key.count < prefixCount ? 1 : 0
    }

    /// Whether the key at `index` is this one.
    func equals(_ key: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard order(ofPrefixTo: key) == 0 else { return false }
        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        return heads[index] == Self.head(of: suffix) && orderOfRest(at: index, to: suffix) == 0
    }

    func equals(_ key: ByteString, at index: Int) -> Bool {
        key.withUnsafeBytes { equals($0, at: index) }
    }

    /// Whether the keys at two places of this node are equal.
    func haveSameKey(_ a: Int, _ b: Int) -> Bool {
        guard heads[a] == heads[b], suffixes[a].count == suffixes[b].count else { return false }
        let count = restCount(at: a)
        if count == 0 { return true }
        let restOfA = heap + Int(suffixes[a].restOffset)
        return memcmp(restOfA, heap + Int(suffixes[b].restOffset), count) == 0
    }

    /// The order of the suffix at `index` to `suffix`, whose heads are equal.
    private func orderOfRest(at index: Int, to suffix: UnsafeRawBufferPointer) -> Int {
        let count = Int(suffixes[index].count)
        let restShared = min(count, suffix.count) - Self.headBytes
        if restShared > 0, let bytes = suffix.baseAddress {
            let rest = heap + Int(suffixes[index].restOffset)
            let order = memcmp(rest, bytes + Self.headBytes, restShared)
            if order != 0 { return Int(order) }
        }
        // One of them is the beginning of the other: zeros filled up the head of a short one.
        return count - suffix.count
    }

    /// The first index that is not in front of what is searched.
    ///
    /// - Parameter isInFront: True for the indexes up to some one, false for all others.
    @inline(__always)
    private static func partition(
        from start: Int, to end: Int, _ isInFront: (Int) -> Bool
    ) -> Int {
        var low = start
        var high = end
        while low < high {
            let middle = (low &+ high) &>> 1
            if isInFront(middle) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
