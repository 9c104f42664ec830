#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-conditions: W6 with a condition a commit, and without one, in turns.
    enum Conditions {
        static let workload = Workload(
            name: "W-conditions", title: "updates that say what they were decided on",
            sides: [.skyros], fixtures: { [Preparation(.base, $0)] }, measure: measure)

        static let none = "without a condition"
        static let sequence = "the newest event"
        static let record = "the record"
        static let query = "a query by an index"

        private static let turnCount = 1_000

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.copy(of: .base, side))
            let (store, rows) = (peer.store, bench.settings.rows)
            let variants = [none, sequence, record, query]
            var costs = [Cost](repeating: Cost(), count: variants.count)
            let turns = max(1, bench.settings.updates / turnCount / variants.count)
            for turn in 0..<turns {
                for (place, variant) in variants.enumerated() {
                    let first = (turn * variants.count + place) * turnCount
                    costs[place] += try Cost.measure {
                        for number in first..<first + turnCount {
                            try write(number, of: rows, variant, in: store)
                        }
                    }
                }
            }
            let count = Double(turns * turnCount)
            try peer.close()
            return zip(variants, costs).map { variant, cost in
                Figure(variant, count / cost.wall, .commitsPerSecond, cost)
            }
        }

        private static func write(
            _ number: Int, of rows: Int, _ variant: String, in store: Store
        ) throws {
            let id = Generator.id(Generator.read(number, of: rows))
            // What a program reads before it decides.
            let state = store.snapshot
            guard let order = try state.get(Order.self, id) else { throw missing }
            let condition: WriteCondition? =
                switch variant {
                case sequence: .sequence(state.sequence)
                case record: .unchanged(Order.self, id: id, since: state.sequence)
                case query:
                    .unchanged(
                        FetchRequest<Order>(
                            where: \.restaurant == order.restaurant && \.status == order.status),
                        since: state.sequence)
                default: nil
                }
            try store.write(by: Audit.actor, because: Audit.reason, expecting: condition) { tx in
                try tx.update(Order.self, id) { $0.totalCents += 1 }
            }
        }

        private static let missing = BenchmarkError("a row is missing")
    }
#endif
