#if Postgres
    import BenchmarkModel
    import Foundation
    import Skyros

    /// What the other nodes do.
    enum ClusterReading {
        /// How much later than the writer a reader shows a write, in milliseconds.
        static func lags(_ count: Int, from writer: Store, to reader: Store, _ rows: Tally) throws
            -> [Double]
        {
            try waiting {
                var lags: [Double] = []
                for _ in 0..<count {
                    let order = Generator.order(rows.next())
                    let receipt = try await writer.writeWithReceipt(by: Audit.actor) { tx in
                        try tx.insert(order)
                    }.receipt
                    let returned = Cost.now.wall
                    _ = try await reader.read(after: receipt)
                    lags.append((Cost.now.wall - returned) * 1e3)
                }
                return lags.sorted()
            }
        }

        /// How long reads take that see all that was acknowledged anywhere, in milliseconds.
        static func latestReads(_ count: Int, of reader: Store) throws -> [Double] {
            try waiting {
                var times: [Double] = []
                for _ in 0..<count {
                    let start = Cost.now.wall
                    _ = try await reader.readLatest()
                    times.append((Cost.now.wall - start) * 1e3)
                }
                return times.sorted()
            }
        }

        /// Reads by id in a second, by one thread.
        static func reads(_ seconds: Double, of store: Store, rows: Int) throws -> Double {
            let start = Cost.now.wall
            var count = 0
            while Cost.now.wall < start + seconds {
                for _ in 0..<1_000 {
                    let id = Generator.id(1 + Generator.read(count, of: rows))
                    let cents = try store.withValue(of: Order.self, id) { $0.totalCents }
                    guard cents != nil else { throw BenchmarkError("a row is missing") }
                    count += 1
                }
            }
            return Double(count) / (Cost.now.wall - start)
        }

        /// Runs a task to its end on the calling thread, which is none of the pool's.
        private static func waiting<R: Sendable>(
            _ body: @escaping @Sendable () async throws -> R
        ) throws -> R {
            let (end, result) = (DispatchSemaphore(value: 0), Outcome<R>())
            Task {
                do {
                    result.set(.success(try await body()))
                } catch {
                    result.set(.failure(error))
                }
                end.signal()
            }
            end.wait()
            return try result.get()
        }
    }

    /// Unchecked because the compiler cannot see that the variable is guarded by the lock.
    private final class Outcome<R: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var result: Result<R, any Error>?

        func set(_ value: Result<R, any Error>) { lock.withLock { result = value } }

        func get() throws -> R {
            guard let result = lock.withLock({ result }) else { throw BenchmarkError("no result") }
            return try result.get()
        }
    }
#endif
