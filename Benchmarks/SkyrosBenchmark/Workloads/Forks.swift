#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-fork: 100 updates in a child store that is then merged, and the same in one write block.
    enum Forks {
        static let workload = Workload(
            name: "W-fork", title: "fork, 100 updates, merge", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        static let child = "in a child store"
        static let block = "in a write block"

        private static let updateCount = 100

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.copy(of: .base, side))
            let (store, rows) = (peer.store, bench.settings.rows)
            let count = bench.settings.updates / updateCount / 2
            let first = store.sequence
            var (inChild, inBlock) = (Cost(), Cost())
            for round in 0..<count {
                let ids = (0..<2 * updateCount).map {
                    Generator.id(Generator.read(round * 2 * updateCount + $0, of: rows))
                }
                inChild += try Cost.measure {
                    let draft = store.fork(by: Audit.actor)
                    try draft.write { tx in try add(to: ids[..<updateCount], in: &tx) }
                    try draft.merge(because: Audit.reason)
                }
                inBlock += try Cost.measure {
                    try store.write(by: Audit.actor, because: Audit.reason) { tx in
                        try add(to: ids[updateCount...], in: &tx)
                    }
                }
            }
            let events = store.sequence.rawValue - first.rawValue
            try BenchmarkError.check(Int(events), 2 * count, "events")
            try peer.close()
            return [(child, inChild), (block, inBlock)].map { variant, cost in
                Figure(variant, cost.wall / Double(count) * 1e6, .microseconds, cost)
            }
        }

        private static func add(to ids: ArraySlice<UUID>, in tx: inout WriteTransaction) throws {
            for id in ids { try tx.update(Order.self, id) { $0.totalCents += 1 } }
        }
    }
#endif
