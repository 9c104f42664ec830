import Foundation

/// Gathers the keys of many rows, and makes a `IndexBTree` of them at once.
///
/// Finding the place of each key in a growing tree touches other memory for every key. Sorting all
/// of them is faster by far, and a fold of many events sorts each row's last key only.
///
/// The keys lie one behind the other. All of an index begin alike, as a rule; the 24 bytes behind
/// what they share are kept as three words beside the row, and decide nearly every comparison.
///
/// A row is retained when it is added, while it is at hand anyway; the tree takes that over.
///
/// - Note: `@unchecked` because it is changed; it is used by one thread at a time.
final class IndexBulkLoader: @unchecked Sendable {
    private struct Item: Sendable {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        let start: Int
        let count: Int
        let row: Unmanaged<Row>
    }

    private var bytes: [UInt8] = []
    private var items: [Item] = []
    /// What all keys begin with, once they are sorted.
    private var commonBytes: [UInt8] = []

    /// For how many bytes of keys there is memory.
    var byteCapacity: Int { bytes.capacity }

    /// - Parameter count: how many keys there will be.
    init(reserving count: Int) {
        items.reserveCapacity(count)
    }

    func add(_ key: ByteString, _ row: Unmanaged<Row>) {
        key.withUnsafeBytes { key in
            items.append(Item(start: bytes.count, count: key.count, row: row.retain()))
            bytes.append(contentsOf: key)
        }
    }

    /// Brings the keys in order. O(n log n).
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

    /// The tree of all that was added to two sorters. Both must be sorted; they are empty
    /// afterwards. O(n).
    static func tree(of a: IndexBulkLoader, _ b: IndexBulkLoader) -> IndexBTree {
        defer {
            a.items = []
            b.items = []
        }
        return a.bytes.withUnsafeBytes { bytesOfA in
            b.bytes.withUnsafeBytes { bytesOfB in
                IndexBTree.build(
                    from: Merge(
                        (a.items, bytesOfA), (b.items, bytesOfB),
                        byWords: a.commonBytes == b.commonBytes))
            }
        }
    }

    /// What all keys begin with. O(n).
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

    /// The entries of two sorters in order.
    private struct Merge: Sequence, IteratorProtocol {
        typealias Source = (items: [Item], bytes: UnsafeRawBufferPointer)

        private let a: Source
        private let b: Source
        private var indexOfA = 0
        private var indexOfB = 0
        private let byWords: Bool

        init(_ a: Source, _ b: Source, byWords: Bool) {
            self.a = a
            self.b = b
            self.byWords = byWords
        }

        mutating func next() -> IndexBTree.Entry? {
            let hasA = indexOfA < a.items.count
            let hasB = indexOfB < b.items.count
            guard hasA || hasB else { return nil }
            let isA =
                !hasB
                || hasA
                    && IndexBulkLoader.precedes(
                        (a.items[indexOfA], a.bytes), (b.items[indexOfB], b.bytes),
                        byWords: byWords)
            let place: Place =
                isA ? (a.items[indexOfA], a.bytes) : (b.items[indexOfB], b.bytes)
            if isA { indexOfA += 1 } else { indexOfB += 1 }
            return IndexBTree.Entry(
                key: ByteString(IndexBulkLoader.key(place.item, place.bytes)),
                row: place.item.row)
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
