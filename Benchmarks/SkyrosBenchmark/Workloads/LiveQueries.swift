#if !SKYROS_COMPARE
    import BenchmarkModel
    import Dispatch
    import Foundation
    import Skyros
    import Synchronization

    /// W-live: what live queries add to an event.
    enum LiveQueries {
        static let workload = Workload(
            name: "W-live", title: "live queries, added to an event", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        static let page = "page of 50 that the event changes"
        static let others = "1,000 queries that do not match"

        private static let pageRows = 50
        private static let queryCount = 1_000

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let peer = try SkyrosPeer(at: bench.copy(of: .base, side))
            let rows = bench.settings.rows
            let count = min(bench.settings.updates, rows)
            // Each part inserts as many rows as it deletes.
            let whole = 2 * partCount
            let others = try addedByOthers(count / whole * whole, of: rows, peer)
            let page = try addedByPage(count / whole * whole, of: rows, peer)
            try peer.close()
            return [
                Figure(Self.page, page, .microseconds), Figure(Self.others, others, .microseconds),
            ]
        }

        /// Parts of a measurement, with queries and without in turns: sealing and checkpoints,
        /// whose load varies, then count on both sides.
        private static let partCount = 20

        /// Calls `body` with each part of a range of updates, and whether queries are registered in
        /// it: alone, with, with, alone, and so on.
        private static func forEachPart(
            of count: Int, _ body: (Range<Int>, _ isBeside: Bool) async throws -> Void
        ) async throws {
            let size = count / partCount
            for part in 0..<partCount {
                try await body((part * size)..<((part + 1) * size), part % 4 == 1 || part % 4 == 2)
            }
        }

        /// Microseconds of all processors that queries without a match add to an update.
        private static func addedByOthers(
            _ count: Int, of rows: Int, _ peer: SkyrosPeer
        ) throws -> Double {
            try waiting {
                var (alone, beside) = (Cost(), Cost())
                try await forEachPart(of: count) { updates, isBeside in
                    let queries = isBeside ? try await unmatched(in: peer.store) : []
                    let cost = try Updates.update(updates, of: rows, in: peer)
                    withExtendedLifetime(queries) {}
                    if isBeside { beside += cost } else { alone += cost }
                }
                return (beside.cpu - alone.cpu) / Double(count / 2) * 1e6
            }
        }

        /// Queries that have begun, and that no update concerns.
        private static func unmatched(
            in store: Store
        ) async throws -> [LiveQuery<Order>.AsyncIterator] {
            var iterators: [LiveQuery<Order>.AsyncIterator] = []
            for number in 0..<queryCount {
                let query = store.live(
                    Order.self, where: \.restaurant == "closed-\(number)",
                    sortedBy: [.descending(\.createdAt)], limit: pageRows)
                var iterator = query.makeAsyncIterator()
                try BenchmarkError.check(try await iterator.next()?.count, 0, "rows found")
                iterators.append(iterator)
            }
            return iterators
        }

        /// Microseconds of all processors that a page adds to an event that changes it: a newer
        /// row comes in, or the newest one goes.
        private static func addedByPage(
            _ count: Int, of rows: Int, _ peer: SkyrosPeer
        ) throws -> Double {
            let store = peer.store
            let (restaurant, status) = Generator.query(0)
            let query = store.live(
                Order.self, where: \.restaurant == restaurant && \.status == status,
                sortedBy: [.descending(\.createdAt)], limit: pageRows)
            return try waiting {
                var (alone, beside) = (Cost(), Cost())
                try await forEachPart(of: count) { numbers, isBeside in
                    guard isBeside else {
                        alone += try Cost.measure {
                            for number in numbers { try write(number, restaurant, status, store) }
                        }
                        return
                    }
                    var pages = query.makeAsyncIterator()
                    var page = try await pages.next()
                    let start = Cost.now
                    for number in numbers {
                        try write(number, restaurant, status, store)
                        page = try await pages.next()
                    }
                    beside += Cost.now - start
                    try BenchmarkError.check(page, try store.fetch(query.request), "the page")
                }
                return (beside.cpu - alone.cpu) / Double(count / 2) * 1e6
            }
        }

        /// Inserts an order that is newer than all others, or deletes it.
        private static func write(
            _ number: Int, _ restaurant: String, _ status: Order.Status, _ store: Store
        ) throws {
            var order = Generator.order(2_000_000_000 + number / 2)
            (order.restaurant, order.status, order.createdAt) = (restaurant, status, 1e12)
            try store.write { tx in
                if number % 2 == 0 { try tx.insert(order) } else { try tx.delete(order) }
            }
        }

        /// Blocks the calling thread until a task has returned.
        private static func waiting<R: Sendable>(
            _ body: @escaping @Sendable () async throws -> R
        ) throws -> R {
            let result = Mutex<Result<R, any Error>?>(nil)
            let hasEnded = DispatchSemaphore(value: 0)
            Task {
                let outcome: Result<R, any Error>
                do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
                result.withLock { $0 = outcome }
                hasEnded.signal()
            }
            hasEnded.wait()
            guard let outcome = result.withLock({ $0 }) else { throw BenchmarkError("no result") }
            return try outcome.get()
        }
    }
#endif
