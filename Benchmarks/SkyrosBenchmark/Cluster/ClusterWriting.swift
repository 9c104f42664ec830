#if Postgres
    import BenchmarkModel
    import Foundation
    import Skyros

    /// Single inserts by threads that wait for each, and as many as a queue takes.
    enum ClusterWriting {
        /// Events in a second, and what one of them took.
        struct Rate {
            let perSecond: Double
            /// The median, in milliseconds; nil where nothing waits for an event.
            var milliseconds: Double?
        }

        /// The most that are queued at a time where nothing waits for a single one.
        private static let queuedMax = 4_000

        static func skyros(
            _ store: Store, by threads: Int?, seconds: Double, _ rows: Tally
        ) throws -> Rate {
            guard let threads else { return try queued(store, seconds, rows) }
            return try waiting(threads, seconds) {
                let order = Generator.order(rows.next())
                try store.write(by: Audit.actor, because: Audit.reason) { tx in
                    try tx.insert(order)
                }
            }
        }

        static func bare(
            _ log: BareLog, by threads: Int?, seconds: Double, byteCount: Int
        ) throws -> Rate {
            let event = [UInt8](repeating: 0x61, count: byteCount)
            if let threads { return try waiting(threads, seconds) { try log.append(event) } }
            let group = Array(repeating: event, count: BareLog.groupMax)
            let start = Cost.now.wall
            var count = 0
            while Cost.now.wall < start + seconds {
                try log.append(all: group)
                count += group.count
            }
            return Rate(perSecond: Double(count) / (Cost.now.wall - start))
        }

        /// Threads that do something again and again.
        private static func waiting(
            _ threads: Int, _ seconds: Double, _ body: @escaping @Sendable () throws -> Void
        ) throws -> Rate {
            let start = Cost.now.wall
            let times = Durations()
            try Threads.run(threads) { _ in
                var own: [Double] = []
                var last = Cost.now.wall
                while last < start + seconds {
                    try body()
                    let now = Cost.now.wall
                    own.append(now - last)
                    last = now
                }
                times.add(own)
            }
            let all = times.all
            return Rate(
                perSecond: Double(all.count) / (Cost.now.wall - start),
                milliseconds: Statistics.median(all).map { $0 * 1e3 })
        }

        private static func queued(
            _ store: Store, _ seconds: Double, _ rows: Tally
        ) throws -> Rate {
            let places = DispatchSemaphore(value: queuedMax)
            let failed = Tally()
            let start = Cost.now.wall
            var count = 0
            while Cost.now.wall < start + seconds {
                let order = Generator.order(rows.next())
                places.wait()
                store.writeAsync(by: Audit.actor, because: Audit.reason) { tx in
                    try tx.insert(order)
                } completion: { result in
                    if case .failure = result { failed.add(1) }
                    places.signal()
                }
                count += 1
            }
            for _ in 0..<queuedMax { places.wait() }
            for _ in 0..<queuedMax { places.signal() }
            try BenchmarkError.check(failed.value, 0, "writes that failed")
            return Rate(perSecond: Double(count) / (Cost.now.wall - start))
        }
    }

    /// Seconds that several threads have measured.
    ///
    /// Unchecked because the compiler cannot see that the array is guarded by the lock.
    private final class Durations: @unchecked Sendable {
        private let lock = NSLock()
        private var seconds: [Double] = []

        func add(_ more: [Double]) { lock.withLock { seconds += more } }

        var all: [Double] { lock.withLock { seconds } }
    }
#endif
