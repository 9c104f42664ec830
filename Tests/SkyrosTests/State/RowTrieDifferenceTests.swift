import TestSupport
import Testing

@testable import Skyros

@Suite struct `The difference of two row tries` {
    private typealias Rows = [Int: Row]

    @Test(arguments: HashChoice.all)
    func `is that of two dictionaries`(choice: HashChoice) {
        var random = RandomSource(seed: 3)
        var (trie, model) = (RowTrie(), Rows())
        for round in 0..<60 {
            let (oldTrie, old) = (trie, model)
            // From few changes to many, growing and shrinking.
            for step in 0..<(1 << (round % 9)) {
                let number = random.below(600)
                let hash = choice.hash(number)
                if random.below(4) < (round / 10 % 2 == 0 ? 3 : 1) {
                    let row = StateFixtures.row(number, hash: hash, version: round * 1_000 + step)
                    trie.insert(row)
                    model[number] = row
                } else {
                    trie.remove(id: StateFixtures.id(number), hash: hash)
                    model[number] = nil
                }
            }
            check(oldTrie, old, trie, model)
            check(trie, model, oldTrie, old)
        }
    }

    private func check(_ a: RowTrie, _ rowsA: Rows, _ b: RowTrie, _ rowsB: Rows) {
        var found: [RecordID: [Row?]] = [:]
        a.forEachDifference(to: b) { before, after in
            guard let id = before?.id ?? after?.id else {
                Issue.record("a difference without rows")
                return false
            }
            #expect(found[id] == nil)
            found[id] = [before, after]
            return true
        }
        var count = 0
        for number in Set(rowsA.keys).union(rowsB.keys) where rowsA[number] !== rowsB[number] {
            count += 1
            let pair = found[StateFixtures.id(number)]
            #expect(pair?.count == 2)
            #expect(pair?.first ?? nil === rowsA[number] && pair?.last ?? nil === rowsB[number])
        }
        #expect(found.count == count)
    }

    @Test func `ends when it is asked to`() {
        var trie = RowTrie()
        for number in 0..<100 {
            trie.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number)))
        }
        for (a, b) in [(RowTrie(), trie), (trie, RowTrie())] {
            var count = 0
            a.forEachDifference(to: b) { _, _ in
                count += 1
                return count < 3
            }
            #expect(count == 3)
        }
    }

    @Test func `visits few rows of a large trie for one change`() {
        var trie = RowTrie()
        for number in 0..<20_000 {
            trie.insert(StateFixtures.row(number, hash: StateFixtures.mixed(number)))
        }
        let old = trie
        #expect(old.isIdentical(to: trie))
        trie.remove(id: StateFixtures.id(7), hash: StateFixtures.mixed(7))
        #expect(!old.isIdentical(to: trie))
        // Changed nodes are those that only one of them has: the path to one leaf.
        #expect(old.nodes.subtracting(trie.nodes).count <= 4)
        var found: [RecordID?] = []
        old.forEachDifference(to: trie) { before, after in
            found.append(after == nil ? before?.id : nil)
            return true
        }
        #expect(found == [StateFixtures.id(7)])
    }
}
