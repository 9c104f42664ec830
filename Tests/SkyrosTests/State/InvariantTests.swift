import SkyrosDisk
import Testing

@testable import Skyros

/// Each test damages a structure and expects its check to name the damage.
@Suite struct `The invariants of the trees` {
    private static func trie(of count: Int) -> RowTrie {
        var trie = RowTrie()
        for number in 0..<count {
            trie.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number)))
        }
        return trie
    }

    private static func tree(of count: Int) -> IndexBTree {
        var tree = IndexBTree()
        for number in 0..<count {
            tree.insert(key: StateFixtures.key(number), row: StateFixtures.row(number, hash: 0))
        }
        return tree
    }

    @Test func `of a trie name a leaf that lost a row`() throws {
        let trie = Self.trie(of: 20)
        let root = try #require(trie.root)
        root.header.pointee.count -= 1
        defer { root.header.pointee.count += 1 }
        #expect(trie.brokenInvariant() == "the trie counts 20 rows and has 19")
    }

    @Test func `of a trie name a fingerprint that is not its row's`() throws {
        let trie = Self.trie(of: 20)
        let leaf = RowTrieLeaf(try #require(trie.root))
        let entry = leaf.entries[3]
        leaf.entries[3] = RowTrieLeaf.Entry(entry.object, tag: entry.tag ^ 0x8000)
        #expect(trie.brokenInvariant() == "a fingerprint is not that of its row")
    }

    @Test func `of a trie name a row in the wrong slot`() throws {
        let trie = Self.trie(of: 2_000)
        let branch = RowTrieBranch(try #require(trie.root))
        swap(&branch.children[0], &branch.children[1])
        #expect(trie.brokenInvariant() == "a row is in a leaf of other slots")
        swap(&branch.children[0], &branch.children[1])
    }

    @Test func `of an index tree name entries that do not ascend`() throws {
        let tree = Self.tree(of: 30)
        let view = NodeView(try #require(tree.root))
        swap(&view.heads[7], &view.heads[8])
        #expect(tree.brokenInvariant() != nil)
    }

    @Test func `of an index tree name an entry on the wrong side of its separator`() throws {
        let tree = Self.tree(of: 200)
        let view = NodeView(try #require(tree.root))
        let second = NodeView(view.children[1])
        second.remove(at: 0)
        #expect(tree.brokenInvariant() == "the tree counts 200 entries and has 199")
        view.heads[1] += 2 << 56
        #expect(tree.brokenInvariant() == "an entry is below its separator")
    }

    @Test func `of an index tree name a leaf at the wrong height`() throws {
        let tree = Self.tree(of: 9_000)
        let top = NodeView(try #require(tree.root))
        let branch = NodeView(top.children[0])
        swap(&top.children[1], &branch.children[1])
        #expect(tree.brokenInvariant() == "a node is at the wrong height")
        swap(&top.children[1], &branch.children[1])
    }

    @Test func `stop the process after the mutation that broke them`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            InvariantChecks.enable()
            var tree = IndexBTree()
            for number in 0..<30 {
                tree.insert(key: StateFixtures.key(number), row: StateFixtures.row(number, hash: 0))
            }
            tree.root.map { swap(&NodeView($0).heads[7], &NodeView($0).heads[8]) }
            // At the latest the fifth insertion checks the whole tree.
            for number in 30..<36 {
                tree.insert(key: StateFixtures.key(number), row: StateFixtures.row(number, hash: 0))
            }
        }
        #expect(message(of: result).contains("an index tree is broken"))
        #expect(message(of: result).contains("entries do not ascend"))
    }

    @Test func `of a table name a row under the hash of another table, and stop the process`() async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            InvariantChecks.enable()
            let id = StateFixtures.id(1)
            let record = CheckpointValue.map([("name", CheckpointValue.text("a name"))])
            let definition = IndexDefinition(fields: ["name"], isUnique: false)
            let other = Table(entity: "Item", type: nil, hashSeed: 2, indexes: [])
            var table = Table(entity: "Item", type: nil, hashSeed: 1, indexes: [definition])
            let row = table.storedRow(id, hash: other.hash(id), number: 1, bytes: record)
            try table.put(row, replacing: nil)
        }
        #expect(message(of: result).contains("a row's hash is not that of its id"))
    }
}

@Suite struct `A tagged pointer` {
    private final class Object {}

    @Test(arguments: [0, 1, 0x7FFF, 0xFFFF] as [UInt16])
    func `returns its object and its tag`(tag: UInt16) {
        let object = Object()
        let pointer = TaggedPointer(Unmanaged.passUnretained(object), tag: tag)
        #expect(pointer.tag == tag)
        #expect(pointer.object.takeUnretainedValue() === object)
    }

    @Test func `stops the process, with the reason, where addresses use its bits`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            guard let address = UnsafeRawPointer(bitPattern: 0x5600_0000_0000_1000) else { return }
            _ = TaggedPointer(Unmanaged<Object>.fromOpaque(address), tag: 0)
        }
        #expect(message(of: result).contains("0x5600000000001000"))
    }
}

/// What a process that was stopped wrote to its standard error.
private func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
