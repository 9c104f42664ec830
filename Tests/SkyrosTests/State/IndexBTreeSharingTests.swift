import Testing

@testable import Skyros

/// What copies of a tree share, what a change copies, and what is given back.
@Suite struct `An index B-tree and its copies` {
    private static func tree(of count: Int) -> IndexBTree {
        var tree = IndexBTree()
        for number in 0..<count { insert(number, into: &tree) }
        return tree
    }

    private static func insert(_ number: Int, version: Int = 0, into tree: inout IndexBTree) {
        let row = StateFixtures.row(number, hash: 0, version: version)
        tree.insert(key: StateFixtures.key(number), row: row)
    }

    @Test func `is changed in place while there is no copy`() {
        var tree = Self.tree(of: 20_000)
        let nodes = tree.nodes
        for number in 0..<20_000 { Self.insert(number, version: 1, into: &tree) }
        #expect(tree.nodes == nodes)
    }

    @Test func `copies one path at the first change beside a copy, and nothing at the next (F52)`()
    {
        var tree = Self.tree(of: 20_000)
        let snapshot = tree
        Self.insert(17, version: 1, into: &tree)
        let afterFirst = tree.nodes
        // A root, one branch, one leaf.
        #expect(afterFirst.subtracting(snapshot.nodes).count == 3)
        Self.insert(17, version: 2, into: &tree)
        #expect(tree.nodes == afterFirst)
        #expect(snapshot.first(key: StateFixtures.key(17))?.number == 0)
        #expect(tree.first(key: StateFixtures.key(17))?.number == 2)
    }

    @Test func `takes no more memory, however often it is changed beside a copy`() {
        var tree = Self.tree(of: 20_000)
        let byteCount = tree.nodeBytes
        for version in 1...100 {
            let snapshot = tree
            Self.insert(17, version: version, into: &tree)
            #expect(snapshot.first(key: StateFixtures.key(17)) != nil)
        }
        #expect(tree.nodeBytes == byteCount)
    }

    @Test func `copies nothing when the entry to remove is absent`() {
        var tree = Self.tree(of: 20_000)
        let snapshot = tree
        tree.remove(key: StateFixtures.key(17), id: StateFixtures.id(18))
        tree.remove(key: StateFixtures.key(20_000), id: StateFixtures.id(20_000))
        #expect(tree.nodes == snapshot.nodes)
    }

    @Test func `is changed in place again when the copy is gone`() {
        var tree = Self.tree(of: 20_000)
        do {
            let snapshot = tree
            Self.insert(17, version: 1, into: &tree)
            #expect(snapshot.count == 20_000)
        }
        let nodes = tree.nodes
        for number in 0..<20_000 { Self.insert(number, version: 2, into: &tree) }
        #expect(tree.nodes == nodes)
    }

    @Test func `gives a row back when it is replaced, removed or dropped with the tree`() {
        weak var replaced: Row?
        weak var removed: Row?
        weak var dropped: Row?
        var tree = Self.tree(of: 1_000)
        // The first entry of a leaf, from which a separator was made.
        replaced = tree.first(key: StateFixtures.key(64))
        removed = tree.first(key: StateFixtures.key(128))
        dropped = tree.first(key: StateFixtures.key(3))

        var copy: IndexBTree? = tree
        Self.insert(64, version: 1, into: &tree)
        tree.remove(key: StateFixtures.key(128), id: StateFixtures.id(128))
        #expect(copy?.count == 1_000)
        #expect(replaced != nil)
        #expect(removed != nil)

        copy = nil
        #expect(replaced == nil)
        #expect(removed == nil)
        #expect(dropped != nil)

        tree = IndexBTree()
        #expect(dropped == nil)
    }

    @Test func `can be read on other threads while it is changed here`() async {
        var tree = Self.tree(of: 3_000)
        await withTaskGroup(of: Bool.self) { group in
            for round in 0..<8 {
                let snapshot = tree
                let expected = tree.count
                group.addTask {
                    var found = 0
                    for _ in 0..<4 {
                        found = 0
                        snapshot.scan(from: nil, to: nil, reversed: round % 2 == 0) { _, _ in
                            found += 1
                            return true
                        }
                    }
                    return found == expected
                }
                for number in 0..<500 {
                    let changed = (number * 7 + round * 1_000) % 4_000
                    if number % 3 == 0 {
                        tree.remove(key: StateFixtures.key(changed), id: StateFixtures.id(changed))
                    } else {
                        Self.insert(changed, version: round, into: &tree)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(tree.brokenInvariant() == nil)
    }
}
