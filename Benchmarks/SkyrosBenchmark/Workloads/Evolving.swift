#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-evolution: opening a store with the types of a later release.
    enum Evolving {
        static let workload = Workload(
            name: "W-evolution", title: "opening with a newer type", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        /// The types with which the store is opened.
        private enum Kind: String, CaseIterable {
            case same = "the type that wrote it"
            case newer = "a newer type, no index over what changed"
            case indexed = "a newer type, an index over what changed"
        }

        static let same = Kind.same.rawValue
        static let newer = Kind.newer.rawValue

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            try Kind.allCases.map { kind in
                let copy = try bench.copy(of: .base, side)
                defer { try? FileManager.default.removeItem(at: copy) }
                let figures = try Probe.run(
                    .evolution, in: bench, kind.rawValue, copy.path(percentEncoded: false))
                guard let figure = figures.first else { throw BenchmarkError("no time") }
                return figure.named(kind.rawValue)
            }
        }

        // MARK: In the measured process

        /// Opens a store, reads a record, and gives the milliseconds since `launch`.
        static func open(_ words: [String], since launch: UInt64) throws -> ProbeResult {
            guard words.count == 2, let kind = Kind(rawValue: words[0]) else {
                throw BenchmarkError("evolution KIND FOLDER")
            }
            let directory = URL(filePath: words[1])
            let id = Generator.id(0)
            let store: Store
            let cents: Int?
            switch kind {
            case .same:
                store = try Store(at: directory, entities: Order.self)
                cents = try store.get(Order.self, id)?.totalCents
            case .newer:
                store = try Store(at: directory, entities: TippedOrder.self)
                cents = try store.get(TippedOrder.self, id)?.totalCents
            case .indexed:
                store = try Store(at: directory, entities: PlacedOrder.self)
                cents = try store.get(PlacedOrder.self, id)?.totalCents
            }
            let cost = Probe.cost(since: launch)
            try BenchmarkError.check(cents, Generator.order(0).totalCents, "total of a row")
            return ProbeResult(
                figures: [Figure("", cost.wall * 1e3, .milliseconds, cost)], kept: store)
        }
    }
#endif
