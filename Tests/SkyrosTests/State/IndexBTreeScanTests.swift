import Testing

@testable import Skyros

@Suite struct `A scan of an index B-tree` {
    typealias Bound = (key: Int, isInclusive: Bool)

    private let tree: IndexBTree
    private let model: IndexBTreeModel

    /// Keys 10, 20 … 900; every third key is that of one row, every other that of up to 91 rows.
    init() {
        var tree = IndexBTree()
        var model = IndexBTreeModel()
        for number in 1...90 {
            for id in 0..<(number % 3 == 0 ? 1 : number + 1) {
                let row = StateFixtures.row(id, hash: 0)
                tree.insert(key: StateFixtures.key(number * 10), row: row)
                _ = model.insert(IndexBTreeModel.Entry(key: number * 10, id: id, version: 0))
            }
        }
        self.tree = tree
        self.model = model
    }

    @Test func `visits what lies between its bounds, forward and reversed`() throws {
        var keys = [0, 900, 901]
        for key in stride(from: 10, through: 900, by: 178) { keys += [key - 1, key, key + 1] }
        var bounds: [Bound?] = [nil]
        for key in keys { bounds += [(key, true), (key, false)] }
        for lower in bounds {
            for upper in bounds {
                let expected = model.scan(from: lower, to: upper)
                let found = KeyShape.short.scan(tree, from: lower, to: upper)
                try #require(found == expected)
                let reversed = KeyShape.short.scan(tree, from: lower, to: upper, reversed: true)
                try #require(reversed == expected.reversed())
            }
        }
    }

    @Test func `stops when the visitor has enough`() {
        for limit in [1, 2, 20, 64, 65, 500, 5_000] {
            let expected = model.scan(from: (400, true), to: (800, false))
            let found = KeyShape.short.scan(
                tree, from: (400, true), to: (800, false), limit: limit)
            #expect(found == Array(expected.prefix(limit)))
            let reversed = KeyShape.short.scan(
                tree, from: (400, true), to: (800, false), reversed: true, limit: limit)
            #expect(reversed == Array(expected.reversed().prefix(limit)))
        }
    }

    @Test func `passes on what the visitor throws`() {
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try tree.scan(from: nil, to: nil) { _, _ in throw Enough() }
        }
    }

    @Test func `finds nothing in an empty tree`() {
        #expect(KeyShape.short.scan(IndexBTree()).isEmpty)
        #expect(IndexBTree().first(key: StateFixtures.key(1)) == nil)
    }

    @Test func `finds the first row of each key that exists`() {
        for key in 0...910 {
            let first = model.scan(from: (key, true), to: (key, true)).first
            let row = tree.first(key: StateFixtures.key(key))
            #expect(row?.id == first.map { StateFixtures.id($0.id) })
        }
    }
}
