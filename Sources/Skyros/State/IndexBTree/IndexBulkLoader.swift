import SkyrosDisk

/// Collects the keys of many rows, sorts them, and builds an `IndexBTree` bottom-up.
///
/// Inserting each key into a growing tree touches other memory for every key. A sort is much
/// faster, and a fold of many events sorts only the last key of each row.
///
/// The keys are concatenated in one array. Most keys of an index share a prefix; the 24 bytes after
/// it are kept as three words beside the row, and decide nearly every comparison.
///
/// A row is retained when it is added, while it is in the cache; the tree takes over the reference.
///
/// - Note: `@unchecked` because it is changed; one thread at a time changes it, and
///   threads that read it while a tree is built are waited for.
final class IndexBulkLoader: @unchecked Sendable {
    private struct Item: Sendable {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        let start: Int
        let count: Int
        let row: Unmanaged<Row>
    }

    private var bytes: [UInt8] = []
    private var items: [Item] = []
    /// The common prefix of all keys, once they are sorted.
    private var commonBytes: [UInt8] = []

    /// The number of keys.
    var count: Int { items.count }

    /// The size of the memory for keys.
    var byteCapacity: Int { bytes.capacity }

    /// Reserves memory for `count` keys.
    init(reserving count: Int) {
        items.reserveCapacity(count)
    }

    func add(_ key: ByteString, _ row: Unmanaged<Row>) {
        key.withUnsafeBytes { key in
            items.append(Item(start: bytes.count, count: key.count, row: row.retain()))
            bytes.append(contentsOf: key)
        }
    }

    /// Sorts the keys. O(n log n).
    func sort() {
        commonBytes = Array(findCommonBytes())
        bytes.withUnsafeBytes { bytes in
            for index in items.indices {
                let key = Self.key(items[index], bytes)
                items[index].words = Self.words(of: key, from: commonBytes.count)
            }
            items.sort { Self.precedes(($0, bytes), ($1, bytes), byWords: true) }
        }
    }

    deinit {
        for item in items { item.row.release() }
    }

    /// The tree of all entries of two loaders. Both must be sorted; they are empty afterwards.
    /// O(n).
    ///
    /// The entries are split at the median: two threads make the leaves of the two halves, which
    /// are joined under one root.
    ///
    /// - Parameter countMin: with fewer entries one thread makes all leaves.
    static func tree(
        of a: IndexBulkLoader, _ b: IndexBulkLoader, inHalvesFrom countMin: Int = 8_192
    ) -> IndexBTree {
        let top = IndexBTree.Root()
        let count = a.items.count + b.items.count
        // A half fills at least the smallest leaf that may have another one after it.
        let isDivided = count >= max(countMin, 2 * IndexBTreeNode.dividedItemsMin)
        let lowerCount = isDivided ? count / 2 : 0
        let fromA = leadingCount(of: a, in: lowerCount, with: b)
        let fromB = lowerCount - fromA
        let (upper, lower) = inParallel(when: isDivided) {
            leaves(of: a, fromA..<a.items.count, b, fromB..<b.items.count, in: top.memory)
        } _: {
            leaves(of: a, 0..<fromA, b, 0..<fromB, in: top.memory)
        }
        // The leaves have taken over the references.
        a.items = []
        b.items = []
        return IndexBTree.joining(lower, upper, count: count, in: top)
    }

    /// How many of the first `count` entries of two loaders are from `a`. O(log n).
    private static func leadingCount(
        of a: IndexBulkLoader, in count: Int, with b: IndexBulkLoader
    ) -> Int {
        let byWords = a.commonBytes == b.commonBytes
        return a.bytes.withUnsafeBytes { bytesOfA in
            b.bytes.withUnsafeBytes { bytesOfB in
                let counts = max(0, count - b.items.count)..<min(count, a.items.count)
                return counts.partitioningIndex { number in
                    !precedes(
                        (a.items[number], bytesOfA), (b.items[count - number - 1], bytesOfB),
                        byWords: byWords)
                }
            }
        }
    }

    /// The leaves of a range of each of two loaders, merged. O(n).
    private static func leaves(
        of a: IndexBulkLoader, _ rangeOfA: Range<Int>, _ b: IndexBulkLoader,
        _ rangeOfB: Range<Int>, in memory: NodeArena
    ) -> [IndexBTree.Child] {
        let byWords = a.commonBytes == b.commonBytes
        var (restOfA, restOfB) = (a.items[rangeOfA], b.items[rangeOfB])
        var builder = IndexBTree.LeafBuilder(count: restOfA.count + restOfB.count, in: memory)
        return a.bytes.withUnsafeBytes { bytesOfA in
            b.bytes.withUnsafeBytes { bytesOfB in
                while let itemOfA = restOfA.first, let itemOfB = restOfB.first {
                    if precedes((itemOfA, bytesOfA), (itemOfB, bytesOfB), byWords: byWords) {
                        builder.add(key(itemOfA, bytesOfA), itemOfA.row)
                        restOfA.removeFirst()
                    } else {
                        builder.add(key(itemOfB, bytesOfB), itemOfB.row)
                        restOfB.removeFirst()
                    }
                }
                for item in restOfA { builder.add(key(item, bytesOfA), item.row) }
                for item in restOfB { builder.add(key(item, bytesOfB), item.row) }
                return builder.finish()
            }
        }
    }

    /// The common prefix of all keys. O(n).
    private func findCommonBytes() -> ArraySlice<UInt8> {
        guard let first = items.first else { return [] }
        let count = bytes.withUnsafeBytes { bytes in
            var shared = Self.key(first, bytes)
            for item in items {
                let key = Self.key(item, bytes).prefix(shared.count)
                if shared.equals(UnsafeRawBufferPointer(rebasing: key), at: 0..<shared.count) {
                    continue
                }
                let count = zip(shared, key).prefix { $0 == $1 }.count
                shared = UnsafeRawBufferPointer(rebasing: shared.prefix(count))
            }
            return shared.count
        }
        return bytes[first.start..<first.start + count]
    }

    /// An item, and the bytes in which its key lies.
    private typealias Place = (item: Item, bytes: UnsafeRawBufferPointer)

    /// The order of the keys, and of the ids where keys are equal.
    ///
    /// - Parameter byWords: whether the words of both begin at the same place of the keys.
    private static func precedes(_ a: Place, _ b: Place, byWords: Bool) -> Bool {
        if byWords {
            let (a, b) = (a.item.words, b.item.words)
            if a.0 != b.0 { return a.0 < b.0 }
            if a.1 != b.1 { return a.1 < b.1 }
            if a.2 != b.2 { return a.2 < b.2 }
        }
        // Zeros that fill up a word are also bytes that a key may have.
        let order = key(a.item, a.bytes).compare(key(b.item, b.bytes))
        if order != 0 { return order < 0 }
        return a.item.row._withUnsafeGuaranteedRef { a in
            b.item.row._withUnsafeGuaranteedRef { b in a.id < b.id }
        }
    }

    private static func key(
        _ item: Item, _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start + item.count])
    }

    /// The 24 bytes from `start` on as big-endian words, filled up with zeros.
    private static func words(
        of key: UnsafeRawBufferPointer, from start: Int
    ) -> (UInt64, UInt64, UInt64) {
        func word(_ index: Int) -> UInt64 {
            UnsafeRawBufferPointer(rebasing: key.dropFirst(start + 8 * index)).leadingWord
        }
        return (word(0), word(1), word(2))
    }
}
