#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-union: conditions with `||` and with lists, by an index and by testing all records.
    enum Unions {
        static let workload = Workload(
            name: "W-union", title: "requests with || and lists", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        private static let listCount = 10

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.place(of: .base, side))
            let store = peer.store
            let names = (0..<listCount).map { "restaurant-\($0 * 37)" }
            let (first, second) = (names[0], names[1])
            let pairs: [(name: String, indexed: Filter<Order>, tested: Filter<Order>)] = [
                (
                    "||", \.restaurant == first || \.restaurant == second,
                    .test { $0.restaurant == first || $0.restaurant == second }
                ),
                (
                    "in a list of \(listCount)", .in(\.restaurant, names),
                    .test { names.contains($0.restaurant) }
                ),
            ]
            let figures = try pairs.flatMap { pair in
                let (found, fast) = try orders(pair.indexed, times: 20, in: store)
                let (expected, slow) = try orders(pair.tested, times: 2, in: store)
                try BenchmarkError.check(found, expected, "orders found")
                return [
                    Figure(indexed(pair.name), 20, in: fast, .queriesPerSecond),
                    Figure(tested(pair.name), 2, in: slow, .queriesPerSecond),
                ]
            }
            try peer.close()
            return figures
        }

        private static func indexed(_ name: String) -> String { "\(name), by index" }

        private static func tested(_ name: String) -> String { "\(name), all tested" }

        /// The number of orders, and what it takes to find them several times.
        private static func orders(
            _ filter: Filter<Order>, times: Int, in store: Store
        ) throws -> (count: Int, cost: Cost) {
            var count = 0
            let cost = try Cost.measure {
                for _ in 0..<times { count = try store.all(Order.self, where: filter).count }
            }
            return (count, cost)
        }
    }
#endif
