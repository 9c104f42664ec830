import TestSupport
import Testing

@testable import Skyros

/// Random runs of a `RowTrie` beside a `Dictionary`.
@Suite struct `A row trie beside a dictionary` {
    /// A map that was copied, and what it held then.
    private struct Snapshot {
        let map: RowTrie
        let model: [Int: Row]
    }

    private static let runs = [(idsMax: 40, steps: 3_000), (idsMax: 1_500, steps: 12_000)]

    @Test(arguments: HashChoice.all, runs)
    func `holds the same rows, and so does every copy`(
        choice: HashChoice, run: (idsMax: Int, steps: Int)
    ) throws {
        var random = RandomSource(seed: 11)
        var map = RowTrie()
        var model: [Int: Row] = [:]
        var snapshots: [Snapshot] = []

        for step in 0..<run.steps {
            let number = Int.random(in: 0..<run.idsMax, using: &random)
            let hash = choice.hash(number)
            // Phases of growth and of shrinking in turn, down to few rows or none.
            let grows = step / (run.idsMax * 2) % 2 == 0
            if Int.random(in: 0..<8, using: &random) < (grows ? 6 : 1) {
                let row = StateFixtures.row(number, hash: hash, version: step)
                let replaced = map.insert(row)
                #expect(replaced === model.updateValue(row, forKey: number))
            } else {
                let removed = map.remove(id: StateFixtures.id(number), hash: hash)
                #expect(removed === model.removeValue(forKey: number))
            }
            #expect(map.count == model.count)
            if Int.random(in: 0..<(run.steps / 20), using: &random) == 0 {
                snapshots.append(Snapshot(map: map, model: model))
                try check(map, model, choice, idsMax: run.idsMax)
            }
            if snapshots.count > 6 { snapshots.remove(at: step % snapshots.count) }
        }
        try check(map, model, choice, idsMax: run.idsMax)
        for snapshot in snapshots {
            try check(snapshot.map, snapshot.model, choice, idsMax: run.idsMax)
        }
    }

    @Test(arguments: HashChoice.all)
    func `is empty again when everything was removed`(choice: HashChoice) {
        var map = RowTrie()
        for number in 0..<2_000 {
            map.insert(StateFixtures.row(number, hash: choice.hash(number)))
        }
        let full = map
        var random = RandomSource(seed: 5)
        for number in (0..<2_000).shuffled(using: &random) {
            #expect(map.remove(id: StateFixtures.id(number), hash: choice.hash(number)) != nil)
            if number % 100 == 0 { #expect(map.brokenInvariant() == nil) }
        }
        #expect(map.count == 0)
        #expect(map.nodes.isEmpty)
        #expect(full.count == 2_000)
        #expect(full.brokenInvariant() == nil)
    }

    private func check(
        _ map: RowTrie, _ model: [Int: Row], _ choice: HashChoice, idsMax: Int
    ) throws {
        #expect(map.brokenInvariant() == nil)
        #expect(map.count == model.count)
        for number in 0..<idsMax {
            let found = map.find(id: StateFixtures.id(number), hash: choice.hash(number))
            try #require(found === model[number])
        }
        var visited = 0
        map.forEach { _ in
            visited += 1
            return true
        }
        #expect(visited == model.count)
    }
}
