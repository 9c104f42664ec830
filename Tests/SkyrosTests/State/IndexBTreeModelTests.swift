import TestSupport
import Testing

@testable import Skyros

/// Random runs of an `IndexBTree` and of a sorted array.
@Suite struct `An index B-tree compared with a sorted array` {
    /// A tree that was copied, and what it held then.
    private struct Snapshot {
        let tree: IndexBTree
        let model: IndexBTreeModel
    }

    private typealias Run = (ids: IDShape, keysMax: Int, idsMax: Int, steps: Int)

    /// `keysMax` far below `idsMax` makes many equal keys. Keys next to each other differ in their
    /// last byte, so that separators are whole keys.
    private static let runs: [Run] = [
        (.bytes, keysMax: 5, idsMax: 400, steps: 8_000),
        (.bytes, keysMax: 3_000, idsMax: 2, steps: 20_000),
        (.bytes, keysMax: 60, idsMax: 60, steps: 20_000),
        (.uuid, keysMax: 60, idsMax: 60, steps: 8_000),
        (.text, keysMax: 5, idsMax: 400, steps: 8_000),
        (.negative, keysMax: 60, idsMax: 60, steps: 8_000),
    ]

    @Test(arguments: KeyShape.allCases, runs)
    func `has the same entries, and so does every copy`(
        shape: KeyShape, run: (ids: IDShape, keysMax: Int, idsMax: Int, steps: Int)
    ) throws {
        var random = RandomSource(seed: 23)
        var tree = IndexBTree()
        var model = IndexBTreeModel()
        var snapshots: [Snapshot] = []
        for step in 0..<run.steps {
            let key = Int.random(in: 0..<run.keysMax, using: &random)
            let id = Int.random(in: 0..<run.idsMax, using: &random)
            // Phases of growth and of shrinking in turn, down to few entries or none.
            let grows = step / (run.steps / 4) % 2 == 0
            if Int.random(in: 0..<8, using: &random) < (grows ? 7 : 0) {
                let row = run.ids.row(id, version: step)
                let entry = IndexBTreeModel.Entry(key: key, id: id, version: UInt64(step))
                let replaced = tree.insert(key: shape.key(key), row: row)
                try #require(replaced?.number == model.insert(entry)?.version)
            } else {
                let isRemoved = tree.remove(key: shape.key(key), id: run.ids.id(id))
                try #require(isRemoved == model.remove(key: key, id: id))
            }
            try #require(tree.count == model.entries.count)
            if step % (run.steps / 16) == 0 {
                snapshots.append(Snapshot(tree: tree, model: model))
                #expect(tree.brokenInvariant() == nil)
            }
        }
        snapshots.append(Snapshot(tree: tree, model: model))
        for snapshot in snapshots {
            #expect(snapshot.tree.brokenInvariant() == nil)
            #expect(shape.scan(snapshot.tree, ids: run.ids) == snapshot.model.entries)
        }
    }

    @Test(arguments: KeyShape.allCases, IDShape.allCases)
    func `is empty again when everything was removed`(shape: KeyShape, ids: IDShape) {
        for order in 0..<3 {
            var random = RandomSource(seed: 3)
            var numbers = Array(0..<10_000)
            var tree = IndexBTree()
            for number in numbers {
                tree.insert(key: shape.key(number), row: ids.row(number))
            }
            let full = tree
            if order == 1 { numbers.reverse() }
            if order == 2 { numbers.shuffle(using: &random) }
            for (step, number) in numbers.enumerated() {
                let isRemoved = tree.remove(key: shape.key(number), id: ids.id(number))
                #expect(isRemoved)
                if step % 500 == 0 { #expect(tree.brokenInvariant() == nil) }
            }
            #expect(tree.count == 0)
            #expect(tree.nodes.isEmpty)
            #expect(full.brokenInvariant() == nil)
            #expect(shape.scan(full, ids: ids).map(\.key) == Array(0..<10_000))
        }
    }

    @Test func `fills its leaves when keys only grow`() {
        var tree = IndexBTree()
        for number in 0..<6_400 {
            tree.insert(key: StateFixtures.key(number), row: StateFixtures.row(number, hash: 0))
        }
        // A hundred leaves, and a few branches.
        #expect(tree.nodes.count <= 106)
        #expect(tree.brokenInvariant() == nil)
    }

    /// As in an index over a group and a time: every group grows at its end.
    @Test func `splits leaves where groups meet, and fills nearly all of them`() {
        let groupCount = 50
        let perGroup = 400
        var tree = IndexBTree()
        for number in 0..<groupCount * perGroup {
            let group = [UInt8](repeating: 7, count: 10) + [UInt8(number % groupCount), 7, 7]
            let key = ByteString(group + StateFixtures.key(number).array)
            tree.insert(key: key, row: StateFixtures.row(number, hash: 0))
        }
        #expect(tree.brokenInvariant() == nil)
        // Eight leaves a group if each were full to the last place but one in eight.
        #expect(tree.nodes.count <= groupCount * 9)
    }
}
