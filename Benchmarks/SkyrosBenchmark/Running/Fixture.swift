import BenchmarkModel
import Foundation

/// Data that is prepared once and used by several workloads.
enum Fixture: String, CaseIterable, Sendable {
    /// All rows, inserted 1,000 a block, closed in order.
    case base

    /// Whether its preparation ends with a kill.
    var endsKilled: Bool {
        switch self {
        case .base: false
        }
    }

    /// Builds the fixture for one side in the folder where it belongs.
    func prepare(_ side: Side, in bench: Bench) throws {
        let folder = bench.place(of: self, side)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch self {
        case .base:
            let peer = try Peers.open(side, at: folder)
            try Self.insertRows(0..<bench.settings.rows, into: peer)
            try peer.close()
        }
    }

    /// Inserts rows, 1,000 a block.
    static func insertRows(_ rows: Range<Int>, into peer: any Peer) throws {
        for block in Blocks(rows) { try peer.insert(Generator.orders(block)) }
    }
}
