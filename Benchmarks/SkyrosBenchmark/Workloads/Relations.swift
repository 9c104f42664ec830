#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-relations: one insert a commit, of records that refer to others, and of records that do
    /// not. The kinds take turns, 1,000 inserts each.
    enum Relations {
        static let workload = Workload(
            name: "W-relations", title: "single inserts with a relation", sides: [.skyros],
            measure: measure)

        static let plain = "without index or relation"
        static let indexed = "with an index"
        static let linked = "with a relation"

        private static let dishCount = 500

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let directory = bench.scratch.appending(path: "lines")
            let store = try Store(
                at: directory, entities: Dish.self, Line.self, IndexedLine.self, LinkedLine.self)
            try store.write { tx in try tx.insert((0..<dishCount).map { Dish(id: $0) }) }
            let count = bench.settings.singleInserts / 2
            var costs = [Cost(), Cost(), Cost()]
            for block in Blocks(0..<count) {
                let lines = block.map(line)
                let (indexed, linked) = (lines.map(IndexedLine.init), lines.map(LinkedLine.init))
                costs[0] += try Cost.measure { try insert(lines, into: store) }
                costs[1] += try Cost.measure { try insert(indexed, into: store) }
                costs[2] += try Cost.measure { try insert(linked, into: store) }
            }
            try BenchmarkError.check(store.count(LinkedLine.self), count, "lines with a relation")
            try store.close()
            return zip([plain, indexed, linked], costs).map { variant, cost in
                Figure(variant, count, in: cost, .commitsPerSecond)
            }
        }

        private static func line(_ number: Int) -> Line {
            Line(
                id: Generator.id(number), dish: number % dishCount, pieces: number % 7,
                note: "line \(number)")
        }

        private static func insert<E: Entity>(_ values: [E], into store: Store) throws {
            for value in values {
                try store.write(by: Audit.actor, because: Audit.reason) { try $0.insert(value) }
            }
        }
    }
#endif
