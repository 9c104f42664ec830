import TestSupport
import Testing

@testable import Skyros

@Suite struct `A sorter of keys` {
    /// Keys that begin alike, end in zeros, are the beginning of others, and repeat.
    private static func key(_ random: inout RandomSource) -> ByteString {
        let stem = [UInt8](repeating: 7, count: Int.random(in: 0..<3, using: &random) * 20)
        let rest = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
            UInt8.random(in: 0..<3, using: &random)
        }
        return ByteString(stem + rest)
    }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 5_000], [0, 1, 10])
    func `makes the tree that insertions make`(count: Int, tenths: Int) throws {
        var random = RandomSource(seed: UInt64(count))
        var tree = IndexBTree()
        let sorters = [IndexBulkLoader(reserving: count), IndexBulkLoader(reserving: 0)]
        for number in 0..<count {
            let row = StateFixtures.row(number, hash: StateFixtures.mixed(number))
            let key = Self.key(&random)
            tree.insert(key: key, row: row)
            let isSecond = Int.random(in: 0..<10, using: &random) < tenths
            sorters[isSecond ? 1 : 0].add(key, Unmanaged.passUnretained(row))
        }
        for sorter in sorters { sorter.sort() }
        let sorted = IndexBulkLoader.tree(of: sorters[0], sorters[1])
        #expect(sorted.brokenInvariant() == nil)
        #expect(sorted.count == count)
        #expect(Self.entries(sorted) == Self.entries(tree))
    }

    /// What the second sorter's keys begin with is not what the first one's begin with.
    @Test func `compares keys of two sorters that have little in common`() throws {
        let sorters = [IndexBulkLoader(reserving: 10), IndexBulkLoader(reserving: 10)]
        for number in 0..<20 {
            let stem = number % 2 == 0 ? [UInt8](repeating: 5, count: 40) : [5, 5]
            let row = StateFixtures.row(number, hash: 0)
            let key = ByteString(stem + [UInt8(number)])
            sorters[number % 2].add(key, Unmanaged.passUnretained(row))
        }
        for sorter in sorters { sorter.sort() }
        let sorted = IndexBulkLoader.tree(of: sorters[0], sorters[1])
        #expect(sorted.count == 20)
        #expect(sorted.brokenInvariant() == nil)
    }

    /// No guess from the first keys at the size of all.
    @Test func `takes only the memory that its keys need`() {
        let row = StateFixtures.row(1, hash: 0)
        let key = ByteString([UInt8](repeating: 1, count: 30_000))
        let sorter = IndexBulkLoader(reserving: 5_000_000)
        for _ in 0..<1_001 { sorter.add(key, Unmanaged.passUnretained(row)) }
        #expect(sorter.byteCapacity < 100_000_000)
    }

    @Test func `gives back the rows that come into no tree`() throws {
        weak var row: Row?
        do {
            let sorter = IndexBulkLoader(reserving: 1)
            let own = StateFixtures.row(1, hash: 0)
            row = own
            sorter.add(ByteString([1]), Unmanaged.passUnretained(own))
            sorter.sort()
        }
        #expect(row == nil)
        do {
            let sorter = IndexBulkLoader(reserving: 1)
            let own = StateFixtures.row(1, hash: 0)
            row = own
            sorter.add(ByteString([1]), Unmanaged.passUnretained(own))
            sorter.sort()
            _ = IndexBulkLoader.tree(of: sorter, IndexBulkLoader(reserving: 0))
        }
        #expect(row == nil)
    }

    private static func entries(_ tree: IndexBTree) -> [String] {
        var entries: [String] = []
        tree.scan(from: nil, to: nil, reversed: false) { key, row in
            entries.append("\(key.array) \(row.number)")
            return true
        }
        return entries
    }
}
