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
            let others = try addedByOthers(count, of: rows, peer)
            let page = try addedByPage(count, of: rows, peer)
            try peer.close()
            return [
                Figure(Self.page, page, .microseconds), Figure(Self.others, others, .microseconds),
            ]
        }

        /// Microseconds of all processors that queries without a match add to an update.
        private static func addedByOthers(
            _ count: Int, of rows: Int, _ peer: SkyrosPeer
        ) throws -> Double {
            let alone = try Updates.update(0..<count, of: rows, in: peer)
            let store = peer.store
            let beside = try waiting {
                var iterators: [LiveQuery<Order>.AsyncIterator] = []
                for number in 0..<queryCount {
                    let query = store.live(
                        Order.self, where: \.restaurant == "closed-\(number)",
                        sortedBy: [.descending(\.createdAt)], limit: pageRows)
                    var iterator = query.makeAsyncIterator()
                    try BenchmarkError.check(try await iterator.next()?.count, 0, "rows found")
                    iterators.append(iterator)
                }
                defer { withExtendedLifetime(iterators) {} }
                return try Updates.update(count..<(2 * count), of: rows, in: peer)
            }
            return (beside.cpu - alone.cpu) / Double(count) * 1e6
        }

        /// Microseconds of all processors that a page adds to an event that changes it: a newer
        /// row comes in, or the newest one goes.
        private static func addedByPage(
            _ count: Int, of rows: Int, _ peer: SkyrosPeer
        ) throws -> Double {
            let store = peer.store
            let (restaurant, status) = Generator.query(0)
            let alone = try Cost.measure {
                for number in 0..<count { try write(number, restaurant, status, store) }
            }
            let query = store.live(
                Order.self, where: \.restaurant == restaurant && \.status == status,
                sortedBy: [.descending(\.createdAt)], limit: pageRows)
            let beside = try waiting {
                var pages = query.makeAsyncIterator()
                var page = try await pages.next()
                let start = Cost.now
                for number in 0..<count {
                    try write(number, restaurant, status, store)
                    page = try await pages.next()
                }
                let cost = Cost.now - start
                try BenchmarkError.check(page, try store.fetch(query.request), "the page")
                return cost
            }
            return (beside.cpu - alone.cpu) / Double(count) * 1e6
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
