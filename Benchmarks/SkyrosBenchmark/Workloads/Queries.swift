import BenchmarkModel
import Foundation

/// W5: the 20 newest orders of a restaurant in a status.
enum Queries {
    static let workload = Workload(
        name: "W5", title: "queries by index, newest 20", sides: Side.withoutAudit,
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let settings = bench.settings
        let peer: any Peer
        if side == .floor {
            peer = MemoryFloor(logging: nil, reserving: settings.rows)
            try Fixture.insertRows(0..<settings.rows, into: peer)
        } else {
            peer = try Peers.open(side, at: bench.place(of: .base, side))
        }
        let first = try pass(peer, settings)
        let second = try pass(peer, settings)
        try peer.close()
        return [
            Figure("first pass after opening", settings.queries, in: first, .queriesPerSecond),
            Figure("second pass", settings.queries, in: second, .queriesPerSecond),
        ]
    }

    private static func pass(_ peer: any Peer, _ settings: Settings) throws -> Cost {
        let queries = (0..<settings.queries).map { Generator.query($0) }
        var rowCount = 0
        var sum = 0
        let cost = try Cost.measure {
            for (restaurant, status) in queries {
                let orders = try peer.newest(restaurant, status, limit: Settings.queryLimit)
                rowCount += orders.count
                for order in orders { sum += order.totalCents }
            }
        }
        let expected = Expectation.queryResult(
            queries: settings.queries, rows: settings.rows, limit: Settings.queryLimit)
        try BenchmarkError.check(rowCount, expected.rowCount, "rows found")
        try BenchmarkError.check(sum, expected.totalCents, "sum of the totals found")
        return cost
    }
}
