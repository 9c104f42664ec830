import BenchmarkModel
import Foundation
import Skyros

/// The cost of checkpoints: for the writers meanwhile, and for the disk.
enum CheckpointCost {
    // MARK: Latency

    /// What runs beside the commits.
    enum Company: String {
        case checkpoints = "beside checkpoints"
        /// Runs of the history are written and merged.
        case runs = "no checkpoint"
        case nothing = "neither checkpoint nor history index"
    }

    /// How long single inserts take, beside what runs in the background.
    static func latencies(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let busy = try samples(side, bench, beside: .checkpoints)
        // SQLite checkpoints within a commit: all its commits count.
        guard side == .skyros else {
            return figures(busy, beside: .runs) + figures(busy, beside: .checkpoints)
        }
        return try [.nothing, .runs].flatMap { company in
            figures(try samples(side, bench, beside: company), beside: company)
        } + figures(busy, beside: .checkpoints)
    }

    private static func figures(_ times: [Double], beside company: Company) -> [Figure] {
        let sorted = times.sorted()
        return [("p50", 0.5), ("p99.9", 0.999), ("longest", 1.0)].map { name, share in
            Figure(
                variant(name, beside: company), Statistics.percentile(share, of: sorted),
                .microseconds)
        }
    }

    static func variant(_ name: String, beside company: Company) -> String {
        "commit \(name), \(company.rawValue)"
    }

    /// The time of each commit in microseconds. For Skyros, which checkpoints on a background
    /// thread, only commits during a checkpoint count; for SQLite, which checkpoints within a
    /// commit, all of them.
    private static func samples(
        _ side: Side, _ bench: Bench, beside company: Company
    ) throws -> [Double] {
        let directory = try bench.copy(of: .base, side)
        let peer = try open(side, at: directory, bench.settings, beside: company)
        // While SQLite's journal is there, the checkpoint is being written.
        let journal = directory.appending(path: "checkpoint.sqlite-journal")
            .path(percentEncoded: false)
        let mustRun = company == .checkpoints && side == .skyros
        let first = bench.settings.rows
        let rows = first..<first + bench.settings.timedInserts
        let clock = ContinuousClock()
        var times: [Double] = []
        for block in Blocks(rows) {
            for order in Generator.orders(block) {
                let isRunning = mustRun && access(journal, F_OK) == 0
                let start = clock.now
                try peer.insert(order)
                let time = (clock.now - start).microseconds
                if !mustRun || isRunning { times.append(time) }
            }
        }
        try Checks.holds(peer, rows: rows.upperBound)
        Unclosed.keep(peer)
        guard times.count >= 1_000 else {
            throw BenchmarkError("\(times.count) commits ran beside a checkpoint: too few")
        }
        return times
    }

    private static func open(
        _ side: Side, at directory: URL, _ settings: Settings, beside company: Company
    ) throws -> any Peer {
        guard side == .skyros else {
            let options = PeerOptions(checkpoints: company == .checkpoints)
            return try Peers.open(side, at: directory, options)
        }
        var options = Store.Options()
        // An insert adds about two microseconds to the time to open: several checkpoints.
        options.openingTarget = .milliseconds(
            company == .checkpoints ? settings.timedInserts / 4_000 : SkyrosPeer.never)
        if company == .nothing { options.historyIndex = .scan }
        return try SkyrosPeer(at: directory, options: options)
    }

    // MARK: Time and bytes

    /// A checkpoint after one row of a hundred has changed, on the disk when it ends.
    static func onePercent(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let directory = try bench.copy(of: .base, side)
        let options = PeerOptions(isDurable: true, checkpoints: false)
        let peer = try Peers.open(side, at: directory, options)
        let rows = Array(stride(from: 0, to: bench.settings.rows, by: 100))
        for start in stride(from: 0, to: rows.count, by: Settings.blockRows) {
            let block = rows[start..<min(start + Settings.blockRows, rows.count)]
            try finish(Array(block), in: peer)
        }
        let before = Memory.writtenBytes
        let cost = try Cost.measure {
            if let peer = peer as? SQLitePeer {
                try peer.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            } else {
                try peer.close()
            }
        }
        let bytes = Memory.writtenBytes - before
        if side != .skyros { try peer.close() }
        let reopened = try Peers.open(side, at: directory)
        for row in rows.prefix(1_000) {
            var expected = Generator.order(row)
            expected.status = next(row)
            try BenchmarkError.check(reopened.order(expected.id), expected, "row \(row)")
        }
        try reopened.close()
        return [
            Figure(
                "checkpoint of 1 % changed, time", cost.wall * 1e3, .milliseconds, cost),
            Figure("checkpoint of 1 % changed, written", Double(bytes), .bytes),
        ]
    }

    /// Changes the status of each of the rows, in one commit.
    private static func finish(_ rows: [Int], in peer: any Peer) throws {
        if let peer = peer as? SkyrosPeer {
            try peer.store.write(by: Audit.actor, because: Audit.reason) { tx in
                for row in rows {
                    try tx.update(Order.self, Generator.id(row)) { $0.status = next(row) }
                }
            }
        } else if let peer = peer as? SQLitePeer {
            try peer.database.execute("BEGIN")
            for row in rows { try peer.setStatus(next(row), of: Generator.id(row)) }
            try peer.database.execute("COMMIT")
        }
    }

    private static func next(_ row: Int) -> Order.Status {
        Versions.status(of: row, version: 1)
    }
}
