import BenchmarkModel
import Foundation

/// Data that is prepared once and used by several measurements.
enum Fixture: String, CaseIterable, Sendable {
    /// All rows, inserted 1,000 a block, closed in order.
    case base
    /// All rows, inserted 1,000 a block, nothing checkpointed, killed.
    case killedBlocks = "killed-blocks"
    /// The base, then single updates as many as the tail has, nothing checkpointed, killed.
    case killedTail = "killed-tail"
    /// The base, then as many single updates with checkpoints as usual, killed.
    case killedUsual = "killed-usual"
    /// Rows with a past: inserts and updates, and some rows with 20 versions each. Of Skyros'
    /// files the checkpoint is removed.
    case history
    /// Stores with small segments, to be weighed.
    case sealed

    /// Whether its preparation ends with a kill.
    var endsKilled: Bool {
        switch self {
        case .base, .history, .sealed: false
        case .killedBlocks, .killedTail, .killedUsual: true
        }
    }

    /// Builds the fixture for one side in the directory where it belongs.
    func prepare(_ side: Side, in bench: Bench) throws {
        let directory = bench.place(of: self, side)
        let rows = bench.settings.rows
        let tail = 0..<bench.settings.tailEvents
        switch self {
        case .base:
            let peer = try Peers.open(side, at: directory)
            try Self.insertRows(0..<rows, into: peer)
            try peer.close()
        case .killedBlocks:
            let peer = try Peers.open(side, at: directory, PeerOptions(checkpoints: false))
            try Self.insertRows(0..<rows, into: peer)
            Self.die()
        case .killedTail:
            try FileManager.default.copyItem(at: bench.place(of: .base, side), to: directory)
            let peer = try Peers.open(side, at: directory, PeerOptions(checkpoints: false))
            _ = try Updates.update(tail, of: rows, in: peer)
            Self.die()
        case .killedUsual:
            try FileManager.default.copyItem(at: bench.place(of: .base, side), to: directory)
            let peer = try Peers.open(side, at: directory)
            _ = try Updates.update(tail, of: rows, in: peer)
            Self.die()
        case .sealed:
            try SealedStores.prepare(at: directory, bench.settings)
        case .history:
            try Versions.prepare(side, at: directory, bench.settings)
        }
    }

    /// Inserts rows, 1,000 a block.
    static func insertRows(_ rows: Range<Int>, into peer: any Peer) throws {
        for block in Blocks(rows) { try peer.insert(Generator.orders(block)) }
    }

    /// Ends this process as a crash does.
    private static func die() {
        kill(getpid(), SIGKILL)
    }
}
