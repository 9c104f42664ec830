import BenchmarkModel
import Foundation

/// W6: one changed field a commit, of random rows.
enum Updates {
    static let workload = Workload(
        name: "W6", title: "single updates, buffered",
        sides: [.skyros, .sqlite, .sqliteAudit, .floor],
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = bench.settings.rows
        let peer: any Peer
        if side == .floor {
            peer = try Peers.open(side, at: bench.scratch)
            try Fixture.insertRows(0..<rows, into: peer)
        } else {
            peer = try Peers.open(side, at: bench.copy(of: .base, side))
        }
        let updates = 0..<bench.settings.updates
        let time = try update(updates, of: rows, in: peer)
        try Checks.hasUpdates(updates, rows: rows, peer)
        try peer.close()
        return [Figure("", updates.count, in: time, .commitsPerSecond)]
    }

    /// Updates rows one by one.
    static func update(
        _ updates: Range<Int>, of rows: Int, in peer: any Peer
    ) throws -> Duration {
        try ContinuousClock().measure {
            for index in updates {
                let (row, status) = Generator.update(index, of: rows)
                try peer.setStatus(status, of: Generator.id(row))
            }
        }
    }
}
