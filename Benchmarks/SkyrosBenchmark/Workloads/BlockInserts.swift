import BenchmarkModel
import Foundation

/// W3: inserts, 1,000 a commit.
enum BlockInserts {
    static let workload = Workload(
        name: "W3", title: "inserts, 1,000 a block, buffered",
        sides: [.skyros, .sqlite, .sqliteAudit, .floor],
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = bench.settings.rows
        let peer = try Peers.open(side, at: bench.scratch)
        var time = Duration.zero
        for block in Blocks(0..<rows) {
            let orders = Generator.orders(block)
            time += try ContinuousClock().measure { try peer.insert(orders) }
        }
        try Checks.holds(peer, rows: rows)
        let closing = try ContinuousClock().measure { try peer.close() }
        return [
            Figure("until written", rows, in: time, .rowsPerSecond),
            Figure("until closed", rows, in: time + closing, .rowsPerSecond),
        ]
    }
}
