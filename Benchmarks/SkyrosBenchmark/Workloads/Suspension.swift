#if !SKYROS_COMPARE
    import BenchmarkModel
    import Foundation
    import Skyros
    import Synchronization

    /// W12: the time until a suspended store holds no lock, beside a writer and a checkpoint.
    enum Suspension {
        static let workload = Workload(
            name: "W12", title: "suspend beside a writer and a checkpoint", sides: [.skyros],
            fixtures: { [Preparation(.base, $0)] }, measure: measure)

        private static let count = 20

        private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
            let directory = try bench.copy(of: .base, side)
            var options = Store.Options()
            // Checkpoints follow each other.
            options.openingTarget = .milliseconds(1)
            let peer = try SkyrosPeer(at: directory, options: options)
            let isOver = Atomic(false)
            let rows = Tally()
            rows.add(bench.settings.rows)
            let times = Mutex<[Double]>([])
            try Threads.run(2) { thread in
                defer { isOver.store(true, ordering: .relaxed) }
                if thread == 0 {
                    for _ in 0..<count {
                        try waitForCheckpoint(in: directory)
                        let time = try suspend(peer.store)
                        times.withLock { $0.append(time) }
                    }
                } else {
                    while !isOver.load(ordering: .relaxed) { try insert(rows, into: peer) }
                }
            }
            try peer.close()
            try Checks.holds(
                Peers.reopen(side, at: directory, rows: rows.value), rows: rows.value)
            let sorted = times.withLock { $0.sorted() }
            return [("median", 0.5), ("longest", 1.0)].map { name, share in
                Figure(name, Statistics.percentile(share, of: sorted), .milliseconds)
            }
        }

        /// Suspends the store and resumes it.
        ///
        /// - Returns: the milliseconds of the suspension.
        private static func suspend(_ store: Store) throws -> Double {
            try checkLocks(areHeld: true)
            let cost = Cost.measure { store.suspend() }
            try checkLocks(areHeld: false)
            try store.resume()
            return cost.wall * 1e3
        }

        /// Inserts the next row, unless the store is suspended.
        private static func insert(_ rows: Tally, into peer: SkyrosPeer) throws {
            do {
                try peer.insert(Generator.order(rows.value))
                rows.add(1)
            } catch let error as StoreError where error.code == .suspended {
                Thread.sleep(forTimeInterval: 0.0002)
            }
        }

        /// While SQLite's journal is there and it holds a lock to write, the checkpoint is being
        /// written. A suspension leaves a journal too, which the next checkpoint rolls back.
        private static func waitForCheckpoint(in directory: URL) throws {
            let journal = directory.appending(path: "checkpoint.sqlite-journal")
            let end = ContinuousClock().now + .seconds(30)
            while access(journal.path(percentEncoded: false), F_OK) != 0
                || locks?.contains(where: { $0.contains("POSIX") && $0.contains("WRITE") }) == false
            {
                guard ContinuousClock().now < end else {
                    throw BenchmarkError("no checkpoint in 30 seconds")
                }
                Thread.sleep(forTimeInterval: 0.0002)
            }
        }

        /// Compares with the system's list of locks, where it has one.
        private static func checkLocks(areHeld: Bool) throws {
            guard let locks else { return }
            try BenchmarkError.check(!locks.isEmpty, areHeld, "locks held: \(locks)")
        }

        /// The locks of this process on files; nil if the system has no list.
        private static var locks: [[Substring]]? {
            let list = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
            let process = "\(ProcessInfo.processInfo.processIdentifier)"
            return list?.split(separator: "\n").map { $0.split(separator: " ") }
                .filter { $0.contains { $0 == process } }
        }
    }
#endif
