#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros

    /// W-distill: finding an event that broke a condition of SQL, and the smallest history of it.
    enum Distilling {
        static let workload = Workload(
            name: "W-distill", title: "from a log to a failing test", sides: [.skyros],
            measure: measure)

        /// The most events that a distilled history may have.
        private static let eventsMax = 20

        /// Finding a fault, and distilling it.
        static var variants: [String] { Fault.allCases.map { "\($0): found and distilled" } }

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let count = bench.settings.rows
            return try Fault.allCases.enumerated().flatMap { index, fault in
                let url = bench.scratch.appending(path: fault.rawValue)
                let faulty = count / 4 + Generator.read(index, of: count / 2)
                let store = try Store(at: url, entities: Fault.types)
                try fault.write(count, faulty: faulty, to: store)
                try store.close()
                return try distill(fault, in: url, faulty + 1, bench)
            }
        }

        private static func distill(
            _ fault: Fault, in url: URL, _ sequence: Int, _ bench: Bench
        ) throws -> [Figure] {
            let target = bench.scratch.appending(path: "\(fault.rawValue)-distilled")
            func holds(_ state: Snapshot) throws -> Bool {
                try state.query(fault.query).rows.isEmpty
            }
            let archive = try Archive(at: url, entities: Fault.types)
            var found: Bisection?
            let searching = try Cost.measure { found = try archive.bisect(holds) }
            let event = found?.event?.sequence ?? .zero
            try BenchmarkError.check(Int(event.rawValue), sequence, "the faulty event")
            var history: DistilledHistory?
            let distilling = try Cost.measure {
                history = try archive.distill(
                    event, into: target, scrubbing: try Scrubbing("Card.owner"), holds)
            }
            let events = Int(history?.fixture.sequence.rawValue ?? 0)
            guard (1...eventsMax).contains(events) else {
                throw BenchmarkError("\(events) events are left of \(fault.rawValue)")
            }
            let both = searching + distilling
            return [
                Figure("\(fault): found", searching.wall * 1_000, .milliseconds, searching),
                Figure(
                    "\(fault): found and distilled", both.wall * 1_000, .milliseconds, both),
            ]
        }
    }
#endif
