import Foundation

/// Gathers the keys of many rows, and makes a `KeyTree` of them at once.
///
/// Finding the place of each key in a growing tree touches other memory for every key. Sorting all
/// of them is faster by far, and a fold of many events sorts each row's last key only.
///
/// The keys lie one behind the other. All of an index begin alike, as a rule; the 24 bytes behind
/// what they share are kept as three words beside the row, and decide nearly every comparison.
///
/// The rows are not retained: they stay where they are while the sorter is used.
struct KeySorter: ~Copyable {
    private struct Item {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        let start: Int
        let count: Int
        let row: Unmanaged<Row>
    }

    private var bytes = CBORWriter(capacity: 1 << 12)
    private var items: [Item] = []

    init(reserving count: Int) {
        items.reserveCapacity(count)
    }

    mutating func add(_ key: ByteString, _ row: Unmanaged<Row>) {
        key.withUnsafeBytes { key in
            items.append(Item(start: bytes.count, count: key.count, row: row))
            bytes.append(raw: key)
        }
    }

    /// The tree of all that was added. O(n log n).
    consuming func tree() -> KeyTree {
        bytes.withUnsafeBytes { bytes in
            let shared = Self.sharedCount(items, bytes)
            for index in items.indices {
                items[index].words = Self.words(of: Self.key(items[index], bytes), from: shared)
            }
            items.sort { Self.precedes($0, $1, bytes) }
            return KeyTree.build(
                from: items.lazy.map { item in
                    KeyTree.Entry(
                        key: ByteString(Self.key(item, bytes)), row: item.row.takeUnretainedValue())
                })
        }
    }

    private static func key(
        _ item: Item, _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start + item.count])
    }

    /// How many bytes at the beginning are the same in all keys.
    private static func sharedCount(_ items: [Item], _ bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = items.first else { return 0 }
        var shared = key(first, bytes)
        for item in items {
            let key = key(item, bytes).prefix(shared.count)
            if shared.equals(UnsafeRawBufferPointer(rebasing: key), at: 0..<shared.count) {
                continue
            }
            let count = zip(shared, key).prefix { $0 == $1 }.count
            shared = UnsafeRawBufferPointer(rebasing: shared.prefix(count))
        }
        return shared.count
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

    /// The order of the keys, and of the ids where keys are equal.
    private static func precedes(
        _ a: Item, _ b: Item, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        if a.words.0 != b.words.0 { return a.words.0 < b.words.0 }
        if a.words.1 != b.words.1 { return a.words.1 < b.words.1 }
        if a.words.2 != b.words.2 { return a.words.2 < b.words.2 }
        // Zeros that fill up a word are also bytes that a key may have.
        let order = key(a, bytes).compare(key(b, bytes))
        if order != 0 { return order < 0 }
        return a.row._withUnsafeGuaranteedRef { a in
            b.row._withUnsafeGuaranteedRef { b in a.id < b.id }
        }
    }
}
