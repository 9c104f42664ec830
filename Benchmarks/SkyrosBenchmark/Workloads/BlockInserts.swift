import BenchmarkModel
import Foundation

/// W3: inserts, 1,000 a commit.
enum BlockInserts {
    static let workload = Workload(
        name: "W3", title: "inserts, 1,000 a block, buffered", sides: Side.allCases,
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = bench.settings.rows
        let peer = try Peers.open(side, at: bench.scratch, PeerOptions(expectedRows: rows))
        var writing = Cost()
        for block in Blocks(0..<rows) {
            let orders = Generator.orders(block)
            writing += try Cost.measure { try peer.insert(orders) }
        }
        return try Written.figures(rows, .rowsPerSecond, writing, closing: peer) {
            try Checks.holds(Peers.reopen(side, at: bench.scratch, rows: rows), rows: rows)
        }
    }
}
