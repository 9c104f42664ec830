import Foundation

extension NodeView {
    /// The index of the first item whose key is not less than this one, and whether it is equal.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer) -> (index: Int, isEqual: Bool) {
        let shared = order(ofPrefixTo: key)
        if shared != 0 { return (shared < 0 ? count : min(firstKeyed, count), false) }

        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        let head = suffix.leadingWord
        let heads = heads
        let index = firstIndex(notBelow: head)
        guard index < count, heads[index] == head else { return (index, false) }
        return findByRest(suffix, from: index)
    }

    /// `find` among the items with the head of this suffix; `start` is the first of them.
    private func findByRest(
        _ suffix: UnsafeRawBufferPointer, from start: Int
    ) -> (index: Int, isEqual: Bool) {
        let heads = heads
        let head = heads[start]
        let index = Self.partition(from: start, to: count) { index in
            heads[index] == head && orderOfRest(at: index, to: suffix) < 0
        }
        let isEqual =
            index < count && heads[index] == head && orderOfRest(at: index, to: suffix) == 0
        return (index, isEqual)
    }

    /// The first index after `start` with another key than the one there.
    private func end(ofKeyAt start: Int) -> Int {
        Self.partition(from: start + 1, to: count) { haveSameKey(start, $0) }
    }

    /// The index of the first item that is not before a bound.
    ///
    /// - Parameter isAfterKey: Whether the items with exactly this key are before it.
    func index(at key: UnsafeRawBufferPointer, isAfterKey: Bool) -> Int {
        let found = find(key)
        return isAfterKey && found.isEqual ? end(ofKeyAt: found.index) : found.index
    }

    /// The index of the first entry of a leaf that is not before this one, and whether it is this
    /// one.
    func place(of key: UnsafeRawBufferPointer, _ id: RecordID) -> (index: Int, isFound: Bool) {
        let (first, isEqual) = find(key)
        guard isEqual else { return (first, false) }
        // Most keys occur once: try that before searching the end of the equal keys.
        let isAfter = rows[first]._withUnsafeGuaranteedRef { $0.id < id }
        if !isAfter {
            return (first, rows[first]._withUnsafeGuaranteedRef { $0.id == id })
        }
        let end = end(ofKeyAt: first)
        let place = Self.partition(from: first + 1, to: end) { index in
            rows[index]._withUnsafeGuaranteedRef { $0.id < id }
        }
        guard place < end else { return (place, false) }
        return (place, rows[place]._withUnsafeGuaranteedRef { $0.id == id })
    }

    /// The index of the child in which this entry is, if it is anywhere.
    func childIndex(of key: UnsafeRawBufferPointer, _ id: RecordID) -> Int {
        let (first, isEqual) = find(key)
        guard isEqual else { return first - 1 }
        return Self.partition(from: first, to: end(ofKeyAt: first)) { index in
            guard let least = ids[index] else { return true }
            return !(id < least)
        } - 1
    }

    /// How the prefix orders all keys of the node relative to `key`: negative if they are less,
    /// positive if they are greater, zero if `key` has the same prefix.
    @inline(__always)
    func order(ofPrefixTo key: UnsafeRawBufferPointer) -> Int {
        let prefix = prefix
        guard prefix.count > 0 else { return 0 }
        guard let start = prefix.baseAddress, let bytes = key.baseAddress else { return 1 }
        let order = memcmp(start, bytes, min(prefix.count, key.count))
        if order != 0 { return Int(order) }
        return key.count < prefix.count ? 1 : 0
    }

    /// Whether the key at `index` is this one.
    func equals(_ key: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard order(ofPrefixTo: key) == 0 else { return false }
        let suffix = UnsafeRawBufferPointer(rebasing: key[prefixCount...])
        return heads[index] == suffix.leadingWord && orderOfRest(at: index, to: suffix) == 0
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

    /// The order of the suffix at `index` relative to `suffix`, whose head is equal.
    private func orderOfRest(at index: Int, to suffix: UnsafeRawBufferPointer) -> Int {
        let count = Int(suffixes[index].count)
        let restShared = min(count, suffix.count) - Self.headBytes
        if restShared > 0, let bytes = suffix.baseAddress {
            let rest = heap + Int(suffixes[index].restOffset)
            let order = memcmp(rest, bytes + Self.headBytes, restShared)
            if order != 0 { return Int(order) }
        }
        // One is a prefix of the other: the head of a short suffix is padded with zeros.
        return count - suffix.count
    }

    /// The index of the first key whose head is not less than this one.
    ///
    /// The heads of a node fill eight cache lines. One head of each decides which line matters; the
    /// processor fetches these in parallel, where a binary search would wait for one after the
    /// other. There are no branches to mispredict.
    @inline(__always)
    private func firstIndex(notBelow head: UInt64) -> Int {
        let step = 8
        let heads = heads
        let end = count
        var index = firstKeyed
        var probe = index &+ (step &- 1)
        while probe < end {
            index &+= heads[probe] < head ? step : 0
            probe &+= step
        }
        let blockEnd = min(index &+ step, end)
        probe = index
        while probe < blockEnd {
            index &+= heads[probe] < head ? 1 : 0
            probe &+= 1
        }
        return index
    }

    /// The first index for which `isBefore` is false: a binary search.
    ///
    /// - Parameter isBefore: True for the indexes up to some one, false for all others.
    @inline(__always)
    private static func partition(
        from start: Int, to end: Int, _ isBefore: (Int) -> Bool
    ) -> Int {
        var low = start
        var high = end
        while low < high {
            let middle = (low &+ high) &>> 1
            if isBefore(middle) { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
