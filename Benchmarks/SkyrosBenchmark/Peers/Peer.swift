import BenchmarkModel
import Foundation

/// A system that can hold orders. All workloads are written once, against this.
protocol Peer: AnyObject, Sendable {
    /// How many orders there are.
    func count() throws -> Int
    /// Adds an order in its own commit.
    func insert(_ order: Order) throws
    /// Adds orders in one commit.
    func insert(_ orders: [Order]) throws
    /// Changes one field of an order in its own commit.
    func setStatus(_ status: Order.Status, of id: UUID) throws
    /// The order with this id, every field decoded.
    func order(_ id: UUID) throws -> Order?
    /// One field of the order with this id, as cheaply as the side can read it.
    func totalCents(_ id: UUID) throws -> Int?
    /// The newest orders of a restaurant in a status.
    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order]
    /// The peer through which another thread reads the same data.
    func reader() throws -> any Peer
    /// Ends in order; everything is kept.
    func close() throws
}

/// What every write says about itself, where it can be held.
enum Audit {
    static let actor = "alice"
    static let reason = "by the benchmark"
}

/// How a side is to behave.
struct PeerOptions: Sendable {
    /// Whether each commit waits for the disk.
    var isDurable = false
    /// Whether the side moves what it has logged to its other files by itself.
    var checkpoints = true
    /// Whether no second connection may use the files.
    var isExclusive = false
    /// How many rows a side that can make use of it may expect.
    var expectedRows = 0
}

/// How the sides are opened.
enum Peers {
    /// Opens the side's files in `directory`, or makes them.
    static func open(
        _ side: Side, at directory: URL, _ options: PeerOptions = PeerOptions()
    ) throws -> any Peer {
        var options = options
        options.isExclusive = side.isExclusive
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return switch side {
        case .skyros: try SkyrosPeer(at: directory, options)
        case .sqlite, .sqliteExclusive: try SQLitePeer(at: directory, options)
        case .sqliteAudit, .sqliteAuditExclusive: try AuditedSQLitePeer(at: directory, options)
        case .floor:
            try MemoryFloor(
                logging: FileFloor(at: directory.appending(path: "log")),
                reserving: options.expectedRows)
        }
    }

    /// Opens what the side has closed. The floor folds its file.
    static func reopen(_ side: Side, at directory: URL, rows: Int) throws -> any Peer {
        if side == .floor {
            return try MemoryFloor(
                folding: directory.appending(path: "log"), reserving: rows, isIndexed: true)
        }
        return try open(side, at: directory, PeerOptions(checkpoints: false))
    }
}
