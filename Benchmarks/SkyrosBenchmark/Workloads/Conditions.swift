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
        static let queried = "without a condition, after the same query"
        private static let lateState = "the record, of up to 100 events ago by a snapshot"
        private static let lateNumber = "the record, of up to 100 events ago by a number"

        /// The number of decisions that are made on one state.
        private static let decisionCount = 100

        private static let turnCount = 1_000

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.copy(of: .base, side))
            let (store, rows) = (peer.store, bench.settings.rows)
            let variants = [none, sequence, record, queried, query, lateState, lateNumber]
            var costs = [Cost](repeating: Cost(), count: variants.count)
            let turns = max(1, bench.settings.updates / turnCount / variants.count)
            for turn in 0..<turns {
                for (place, variant) in variants.enumerated() {
                    let first = (turn * variants.count + place) * turnCount
                    // What the other variants have written is read from the log now, not later.
                    let before = Moment.sequence(store.sequence.advanced(by: -1))
                    _ = try store.get(Order.self, Generator.id(0), asOf: before)
                    costs[place] += try Cost.measure {
                        var state = store.snapshot
                        for number in first..<first + turnCount {
                            let isLate = [lateState, lateNumber].contains(variant)
                            if !isLate || number % decisionCount == 0 { state = store.snapshot }
                            try write(number, of: rows, variant, decidedOn: state, in: store)
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
            _ number: Int, of rows: Int, _ variant: String, decidedOn state: Snapshot,
            in store: Store
        ) throws {
            // No row is written twice in a turn.
            let first = Generator.read(number / turnCount, of: rows)
            let id = Generator.id((first + number % turnCount) % rows)
            // What a program reads before it decides.
            guard let order = try state.get(Order.self, id) else { throw missing }
            let request = FetchRequest<Order>(
                where: \.restaurant == order.restaurant && \.status == order.status)
            if [queried, query].contains(variant) { _ = try state.count(request) }
            let condition: WriteCondition? =
                switch variant {
                case sequence: .sequence(state.sequence)
                case record, lateNumber: .unchanged(Order.self, id: id, since: state.sequence)
                case lateState: .unchanged(Order.self, id: id, since: state)
                case query: .unchanged(request, since: state.sequence)
                default: nil
                }
            try store.write(by: Audit.actor, because: Audit.reason, expecting: condition) { tx in
                try tx.update(Order.self, id) { $0.totalCents += 1 }
            }
        }

        private static let missing = BenchmarkError("a row is missing")
    }
#endif
