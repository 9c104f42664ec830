import BenchmarkModel
import Foundation

/// W1: one insert a commit, one after the other.
enum SingleInserts {
    static let workload = Workload(
        name: "W1", title: "single inserts, buffered",
        sides: [.skyros, .sqlite, .sqliteAudit, .floor],
        fixturesOfGrown: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let first = bench.settings.isGrown ? bench.settings.rows : 0
        let isCopied = bench.settings.isGrown && side != .floor
        let peer = try Peers.open(
            side, at: isCopied ? bench.copy(of: .base, side) : bench.scratch)
        if !isCopied { try Fixture.insertRows(0..<first, into: peer) }
        let rows = first..<first + bench.settings.singleInserts
        let time = try insert(rows, into: peer)
        try Checks.holds(peer, rows: rows.upperBound)
        try peer.close()
        return [Figure("", rows.count, in: time, .commitsPerSecond)]
    }

    /// Inserts rows one by one; the time does not contain their generation.
    static func insert(_ rows: Range<Int>, into peer: any Peer) throws -> Duration {
        var time = Duration.zero
        for block in Blocks(rows) {
            let orders = Generator.orders(block)
            time += try ContinuousClock().measure {
                for order in orders { try peer.insert(order) }
            }
        }
        return time
    }
}
