#if !SKYROS_COMPARE
    import BenchmarkModel
    import Dispatch
    import Foundation
    import Skyros

    /// W-timemachine: moving a user interface with live queries through the past.
    enum TimeMachines {
        static let workload = Workload(
            name: "W-timemachine", title: "a time machine with 20 live queries", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        static let step = "a step back, with 20 live queries"
        static let jump = "a jump of a third of the events"
        private static let firstJump = "the first jump, with nothing prepared"
        private static let shown = "a jump, until 20 live queries show it"

        private static let queryCount = 20
        private static let pageRows = 50
        private static let jumpCount = 8

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.copy(of: .base, side))
            // At the usual size a third of them is 100,000 events.
            let updates = 3 * bench.settings.updates
            _ = try Updates.update(0..<updates, of: bench.settings.rows, in: peer)
            let store = peer.store
            let figures = try onMainActor {
                try await first(store, updates) + moves(store, updates)
            }
            Unclosed.keep(peer)
            return figures
        }

        @MainActor private static func first(_ store: Store, _ events: Int) async throws -> [Figure]
        {
            let machine = TimeMachine(store)
            let start = Cost.now
            try await machine.move(to: .sequence(store.sequence.advanced(by: -events / 3)))
            let cost = Cost.now - start
            return [Figure(firstJump, cost.wall * 1_000, .milliseconds, cost)]
        }

        @MainActor private static func moves(_ store: Store, _ events: Int) async throws -> [Figure]
        {
            let machine = TimeMachine(store)
            let requests = (0..<queryCount).map { number in
                let (restaurant, status) = Generator.query(number)
                return FetchRequest<Order>(
                    where: \.restaurant == restaurant && \.status == status,
                    sortedBy: [.descending(\.createdAt)], limit: pageRows)
            }
            let results = requests.map { LiveResult(store.live($0).at(machine)) }
            /// Returns when the live results are those of what is shown.
            func isShown() async throws {
                let expected = try requests.map { try machine.snapshot.fetch($0) }
                while results.map(\.values) != expected { await Task.yield() }
            }
            try machine.step(-1)
            try await settle()
            let stepCount = min(1_000, events / 4)
            let start = Cost.now
            for _ in 0..<stepCount {
                try machine.step(-1)
                await Task.yield()
            }
            try await isShown()
            let steps = Cost.now - start
            var (moving, showing) = (Cost(), Cost())
            for number in 0..<jumpCount {
                let begin = Cost.now
                let distance = number % 4 < 2 ? -events / 3 : events / 3
                let target = machine.sequence.advanced(by: distance)
                try await machine.move(to: .sequence(min(target, machine.range.upperBound)))
                moving += Cost.now - begin
                try await isShown()
                showing += Cost.now - begin
                try await settle()
            }
            let count = Double(jumpCount)
            return [
                Figure(step, steps.wall / Double(stepCount) * 1_000, .milliseconds, steps),
                Figure(jump, moving.wall / count * 1_000, .milliseconds, moving),
                Figure(shown, showing.wall / count * 1_000, .milliseconds, showing),
            ]
        }

        /// Returns when no thread of this process does anything any more: a user looks at what is
        /// shown before the next jump.
        private static func settle() async throws {
            var before = -1.0
            while Cost.cpuOfProcess - before > 0.005 {
                before = Cost.cpuOfProcess
                try await Task.sleep(for: .milliseconds(100))
            }
        }

        /// Runs a task of the main actor on the calling thread, which must be the main one.
        private static func onMainActor<R: Sendable>(
            _ body: @escaping @MainActor @Sendable () async throws -> R
        ) throws -> R {
            // The task and this loop run on the same thread.
            nonisolated(unsafe) var result: Result<R, any Error>?
            Task { @MainActor in
                do { result = .success(try await body()) } catch { result = .failure(error) }
            }
            while result == nil { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
            guard let result else { throw BenchmarkError("no result") }
            return try result.get()
        }
    }
#endif
