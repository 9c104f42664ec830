import TestSupport
import Testing

@testable import Skyros

@Suite struct `The bulk loader of an index` {
    /// Around the sizes of one leaf, two leaves, a branch of leaves and two branches.
    private static let sizes =
        Array(0...20) + [47, 48, 49, 55, 56, 57, 63, 64, 65, 71, 72, 73, 95, 96, 97]
        + [112, 113, 120, 127, 128, 129, 130, 143, 144, 191, 192, 193, 256, 257, 3_071, 3_072]
        + [3_073, 4_095, 4_096, 4_097, 4_104, 8_191, 8_192, 8_193, 8_256, 9_999]

    @Test(arguments: [true, false], KeyShape.allCases)
    func `builds the same tree as insertions, around every node boundary`(
        isDivided: Bool, shape: KeyShape
    ) {
        let ids: IDShape = isDivided ? .uuid : .negative
        for size in Self.sizes {
            var inserted = IndexBTree()
            let loaders = [IndexBulkLoader(reserving: size), IndexBulkLoader(reserving: 0)]
            for number in 0..<size {
                // Groups of three equal keys, spread over both loaders.
                let row = ids.row(number)
                let key = shape.key(number / 3)
                inserted.insert(key: key, row: row)
                loaders[number * 7 % 2].add(key, Unmanaged.passUnretained(row))
            }
            for loader in loaders { loader.sort() }
            var built = IndexBulkLoader.tree(
                of: loaders[0], loaders[1], inHalvesFrom: isDivided ? 0 : .max)
            #expect(built.count == size)
            #expect(built.brokenInvariant() == nil, "\(size) entries")
            let expected = shape.scan(inserted, ids: ids)
            #expect(shape.scan(built, ids: ids) == expected, "\(size) entries")

            for number in stride(from: 0, to: size, by: 2) {
                let isRemoved = built.remove(key: shape.key(number / 3), id: ids.id(number))
                #expect(isRemoved)
            }
            #expect(built.brokenInvariant() == nil, "\(size) entries, every second one removed")
            #expect(built.count == size / 2)
        }
    }

    /// Keys that begin alike, end in zeros, are the beginning of others, and repeat.
    private static func key(_ random: inout RandomSource) -> ByteString {
        let stem = [UInt8](repeating: 7, count: Int.random(in: 0..<3, using: &random) * 20)
        let rest = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
            UInt8.random(in: 0..<3, using: &random)
        }
        return ByteString(stem + rest)
    }

    /// - Parameter tenths: how many tenths of the keys are in the second loader.
    @Test(arguments: [0, 1, 2, 63, 64, 65, 5_000], [0, 1, 10])
    func `builds the same tree as insertions, from irregular keys`(count: Int, tenths: Int) {
        var random = RandomSource(seed: UInt64(count))
        var tree = IndexBTree()
        let loaders = [IndexBulkLoader(reserving: count), IndexBulkLoader(reserving: 0)]
        for number in 0..<count {
            let row = StateFixtures.row(number, hash: StateFixtures.mixed(number))
            let key = Self.key(&random)
            tree.insert(key: key, row: row)
            let isSecond = Int.random(in: 0..<10, using: &random) < tenths
            loaders[isSecond ? 1 : 0].add(key, Unmanaged.passUnretained(row))
        }
        for loader in loaders { loader.sort() }
        let built = IndexBulkLoader.tree(of: loaders[0], loaders[1], inHalvesFrom: 0)
        #expect(built.brokenInvariant() == nil)
        #expect(built.count == count)
        #expect(Self.entries(built) == Self.entries(tree))
    }

    /// The common prefix of the second loader's keys differs from that of the first one's.
    @Test func `merges two loaders whose keys have little in common`() {
        let loaders = [IndexBulkLoader(reserving: 10), IndexBulkLoader(reserving: 10)]
        for number in 0..<20 {
            let stem = number % 2 == 0 ? [UInt8](repeating: 5, count: 40) : [5, 5]
            let row = StateFixtures.row(number, hash: 0)
            let key = ByteString(stem + [UInt8(number)])
            loaders[number % 2].add(key, Unmanaged.passUnretained(row))
        }
        for loader in loaders { loader.sort() }
        let built = IndexBulkLoader.tree(of: loaders[0], loaders[1], inHalvesFrom: 0)
        #expect(built.count == 20)
        #expect(built.brokenInvariant() == nil)
    }

    /// The first keys say nothing about the size of all keys.
    @Test func `allocates only the memory that its keys need`() {
        let row = StateFixtures.row(1, hash: 0)
        let key = ByteString([UInt8](repeating: 1, count: 30_000))
        let loader = IndexBulkLoader(reserving: 5_000_000)
        for _ in 0..<1_001 { loader.add(key, Unmanaged.passUnretained(row)) }
        #expect(loader.byteCapacity < 100_000_000)
    }

    @Test func `releases its rows, whether a tree was built or not`() {
        weak var row: Row?
        for isBuilt in [false, true] {
            do {
                let loader = IndexBulkLoader(reserving: 1)
                let own = StateFixtures.row(1, hash: 0)
                row = own
                loader.add(ByteString([1]), Unmanaged.passUnretained(own))
                loader.sort()
                if isBuilt { _ = IndexBulkLoader.tree(of: loader, IndexBulkLoader(reserving: 0)) }
            }
            #expect(row == nil)
        }
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
