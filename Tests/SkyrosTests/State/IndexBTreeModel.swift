@testable import Skyros

/// What a `IndexBTree` should hold, as a sorted array; keys and ids are numbers.
struct IndexBTreeModel {
    struct Entry: Equatable {
        let key: Int
        let id: Int
        let version: UInt64
    }

    private(set) var entries: [Entry] = []

    mutating func insert(_ entry: Entry) -> Entry? {
        let index = index(key: entry.key, id: entry.id)
        if index < entries.count, entries[index].key == entry.key, entries[index].id == entry.id {
            defer { entries[index] = entry }
            return entries[index]
        }
        entries.insert(entry, at: index)
        return nil
    }

    mutating func remove(key: Int, id: Int) -> Bool {
        let index = index(key: key, id: id)
        guard index < entries.count, entries[index].key == key, entries[index].id == id else {
            return false
        }
        entries.remove(at: index)
        return true
    }

    /// The entries between two bounds, each a key and whether it is included.
    func scan(from lower: (key: Int, isInclusive: Bool)?, to upper: (key: Int, isInclusive: Bool)?)
        -> [Entry]
    {
        entries.filter { entry in
            let isAbove = lower.map { $0.isInclusive ? entry.key >= $0.key : entry.key > $0.key }
            let isBelow = upper.map { $0.isInclusive ? entry.key <= $0.key : entry.key < $0.key }
            return isAbove ?? true && isBelow ?? true
        }
    }

    private func index(key: Int, id: Int) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let isLess = (entries[middle].key, entries[middle].id) < (key, id)
            if isLess { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// How numbers become keys; every choice keeps their order.
enum KeyShape: String, CaseIterable, Sendable {
    /// Fits in place in a byte string.
    case short
    /// Longer than what fits in place, with equal bytes up to and beyond that point.
    case long

    func key(_ number: Int) -> ByteString {
        let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        switch self {
        case .short: return ByteString(digits)
        case .long: return ByteString([UInt8](repeating: 7, count: 30) + digits)
        }
    }

    func number(_ key: ByteString) -> Int {
        key.array.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    func bound(_ bound: (key: Int, isInclusive: Bool)?) -> IndexBTree.Bound? {
        bound.map { IndexBTree.Bound(key: key($0.key), isInclusive: $0.isInclusive) }
    }

    /// What a scan of `tree` visits.
    func scan(
        _ tree: IndexBTree, ids: IDShape = .bytes, from lower: (key: Int, isInclusive: Bool)? = nil,
        to upper: (key: Int, isInclusive: Bool)? = nil, reversed: Bool = false,
        limit: Int = .max
    ) -> [IndexBTreeModel.Entry] {
        var found: [IndexBTreeModel.Entry] = []
        tree.scan(from: bound(lower), to: bound(upper), reversed: reversed) { key, row in
            let id = ids.number(row.id)
            found.append(IndexBTreeModel.Entry(key: number(key), id: id, version: row.number))
            return found.count < limit
        }
        return found
    }
}

/// How numbers become ids; every choice keeps their order.
enum IDShape: String, CaseIterable, Sendable {
    /// Bytes that begin with zeros.
    case bytes
    case uuid, text
    /// Negative integers, whose order is not that of their bytes.
    case negative

    /// More than all numbers, so that texts have the same length.
    private static let offset = 1_000_000

    func id(_ number: Int) -> RecordID {
        switch self {
        case .bytes: return StateFixtures.id(number)
        case .uuid:
            let head: [UInt8] = [0xD8, 0x25, 0x50] + [UInt8](repeating: 7, count: 12)
            return RecordID(ByteString(head + StateFixtures.key(number).array))
        case .text: return RecordID(String(Self.offset + number))
        case .negative: return RecordID(number - Self.offset)
        }
    }

    func number(_ id: RecordID) -> Int {
        switch self {
        case .bytes, .uuid: KeyShape.short.number(id.bytes)
        case .text: (Int(id.description) ?? 0) - Self.offset
        case .negative: (Int(id.description) ?? 0) + Self.offset
        }
    }

    /// A row whose `number` distinguishes versions of the same id.
    func row(_ number: Int, version: Int = 0) -> Row {
        Row(id: id(number), hash: 0, number: UInt64(version), bytes: [0xA0])
    }
}
