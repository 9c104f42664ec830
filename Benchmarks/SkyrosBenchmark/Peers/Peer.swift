import BenchmarkModel
import Foundation

/// Whatever can hold orders. All workloads are written once, against this.
protocol Peer: AnyObject, Sendable {
    /// How many orders there are.
    func count() throws -> Int
    /// Adds an order in a commit of its own.
    func insert(_ order: Order) throws
    /// Adds orders in one commit.
    func insert(_ orders: [Order]) throws
    /// Changes one field of an order in a commit of its own.
    func setStatus(_ status: Order.Status, of id: UUID) throws
    /// The order with this id, every field decoded.
    func order(_ id: UUID) throws -> Order?
    /// The newest orders of a restaurant in a status.
    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order]
    /// What another thread reads the same data by.
    func reader() throws -> any Peer
    /// Ends in order; everything is kept.
    func close() throws
}

/// What every write says about itself, where it can be held.
enum Audit {
    static let actor = "alice"
    static let reason = "by the benchmark"
}

/// How the sides are opened.
enum Peers {
    /// Opens the side's files in `folder`, or makes them.
    static func open(_ side: Side, at folder: URL, isDurable: Bool = false) throws -> any Peer {
        switch side {
        case .skyros: try SkyrosPeer(at: folder, isDurable: isDurable)
        case .sqlite: try SQLitePeer(at: folder, isDurable: isDurable)
        case .sqliteAudit: try AuditedSQLitePeer(at: folder, isDurable: isDurable)
        case .floor: try DictionaryFloor(logging: FileFloor(at: folder.appending(path: "log")))
        }
    }
}
