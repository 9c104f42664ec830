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

    @Test(arguments: [0, 1, 2, 63, 64, 65, 5_000])
    func `makes the tree that insertions make`(count: Int) throws {
        var random = RandomSource(seed: UInt64(count))
        var tree = KeyTree()
        var sorter = KeySorter(reserving: count)
        var rows: [Row] = []
        for number in 0..<count {
            let row = StateFixtures.row(number, hash: StateFixtures.mixed(number))
            let key = Self.key(&random)
            rows.append(row)
            tree.insert(key: key, row: row)
            sorter.add(key, Unmanaged.passUnretained(row))
        }
        let sorted = sorter.tree()
        #expect(sorted.brokenInvariant() == nil)
        #expect(sorted.count == count)
        #expect(Self.entries(sorted) == Self.entries(tree))
        withExtendedLifetime(rows) {}
    }

    private static func entries(_ tree: KeyTree) -> [String] {
        var entries: [String] = []
        tree.scan(from: nil, to: nil, reversed: false) { key, row in
            entries.append("\(key.array) \(row.number)")
            return true
        }
        return entries
    }
}
