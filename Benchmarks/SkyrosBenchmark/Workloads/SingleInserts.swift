import BenchmarkModel
import Foundation

/// W1: one insert a commit, one after the other.
enum SingleInserts {
    static let workload = Workload(
        name: "W1", title: "single inserts, buffered", sides: Side.allCases,
        fixturesOfGrown: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let first = bench.settings.isGrown ? bench.settings.rows : 0
        let isCopied = bench.settings.isGrown && side != .floor
        let rows = first..<first + bench.settings.singleInserts
        let directory = isCopied ? try bench.copy(of: .base, side) : bench.scratch
        let options = PeerOptions(expectedRows: rows.upperBound)
        let peer = try Peers.open(side, at: directory, options)
        if !isCopied { try Fixture.insertRows(0..<first, into: peer) }
        let writing = try insert(rows, into: peer)
        return try Written.figures(rows.count, .commitsPerSecond, writing, closing: peer) {
            try Checks.holds(
                Peers.reopen(side, at: directory, rows: rows.upperBound), rows: rows.upperBound)
        }
    }

    /// Inserts rows one by one; the cost does not contain their generation.
    static func insert(_ rows: Range<Int>, into peer: any Peer) throws -> Cost {
        var cost = Cost()
        for block in Blocks(rows) {
            let orders = Generator.orders(block)
            cost += try Cost.measure {
                for order in orders { try peer.insert(order) }
            }
        }
        return cost
    }
}
