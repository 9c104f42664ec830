#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros
    import SkyrosTesting

    /// W13: a replay of the whole log that checks a condition after every event.
    enum Invariants {
        static let workload = Workload(
            name: "W13", title: "replay with an invariant that an index answers",
            sides: [.skyros], fixtures: { [Preparation(.history, $0)] }, measure: measure)

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let directory = bench.place(of: .history, side)
            let events = Versions.changeCount(bench.settings)
            let replay = Replay(of: directory, entities: Order.self)
                .checking("the index finds what an event has touched", isFound)
            var result: ReplayResult?
            let cost = try Cost.measure { result = try replay.run() }
            guard let result else { throw BenchmarkError("no result") }
            try BenchmarkError.check(Int(result.sequence.rawValue), events, "number of events")
            try Checks.holdsVersions(bench.settings, count: result.state.count(Order.self)) {
                try result.state.get(Order.self, $0)
            }
            return [Figure("", events, in: cost, .eventsPerSecond)]
        }

        /// Whether each order that the event changed is among those of its restaurant and status.
        @Sendable
        private static func isFound(_ state: Snapshot, _ event: AppliedEvent) throws -> Bool {
            for change in try event.changes(of: Order.self) {
                guard let order = try change.after else { continue }
                let found = try state.first(
                    Order.self,
                    where: \.restaurant == order.restaurant && \.status == order.status
                        && \.createdAt == order.createdAt)
                if found != order { return false }
            }
            return true
        }
    }
#endif
