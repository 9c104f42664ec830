import BenchmarkModel
import Foundation

/// W6: one changed field a commit, of random rows.
enum Updates {
    static let workload = Workload(
        name: "W6", title: "single updates, buffered", sides: Side.allCases,
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = bench.settings.rows
        let directory = side == .floor ? bench.scratch : try bench.copy(of: .base, side)
        let peer = try Peers.open(side, at: directory, PeerOptions(expectedRows: rows))
        if side == .floor { try Fixture.insertRows(0..<rows, into: peer) }
        let updates = 0..<bench.settings.updates
        let writing = try update(updates, of: rows, in: peer)
        return try Written.figures(updates.count, .commitsPerSecond, writing, closing: peer) {
            try Checks.holds(
                Peers.reopen(side, at: directory, rows: rows), rows: rows, updates: updates)
        }
    }

    /// Updates rows one by one.
    static func update(_ updates: Range<Int>, of rows: Int, in peer: any Peer) throws -> Cost {
        try Cost.measure {
            for index in updates {
                let (row, status) = Generator.update(index, of: rows)
                try peer.setStatus(status, of: Generator.id(row))
            }
        }
    }
}
