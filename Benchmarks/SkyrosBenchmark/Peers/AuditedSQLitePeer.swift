import BenchmarkModel
import CSQLite
import Foundation

/// SQLite with the usual audit: triggers write who, why and when, and the row before and after.
final class AuditedSQLitePeer: Peer {
    private let peer: SQLitePeer
    private let directory: URL

    private static let schema = """
        CREATE TABLE IF NOT EXISTS audit (
            number INTEGER PRIMARY KEY, at REAL NOT NULL, actor TEXT, reason TEXT,
            kind TEXT NOT NULL, id BLOB NOT NULL, old TEXT, new TEXT
        ) STRICT;
        CREATE INDEX IF NOT EXISTS auditById ON audit (id);
        CREATE TRIGGER IF NOT EXISTS orderInserted AFTER INSERT ON orders BEGIN
            INSERT INTO audit (at, actor, reason, kind, id, old, new) VALUES (
                \(now), actor(), reason(), 'insert', new.id, NULL, \(json("new")));
        END;
        CREATE TRIGGER IF NOT EXISTS orderUpdated AFTER UPDATE ON orders BEGIN
            INSERT INTO audit (at, actor, reason, kind, id, old, new) VALUES (
                \(now), actor(), reason(), 'update', new.id, \(json("old")), \(json("new")));
        END;
        """
    private static let now = "(julianday('now') - 2440587.5) * 86400.0"

    private static func json(_ row: String) -> String {
        let fields = [
            "customer", "restaurant", "status", "totalCents", "createdAt", "items", "note",
            "rating",
        ]
        let pairs = fields.map { "'\($0)', \(row).\($0)" }.joined(separator: ", ")
        return "json_object(\(pairs))"
    }

    init(at directory: URL, _ options: PeerOptions = PeerOptions()) throws {
        self.directory = directory
        peer = try SQLitePeer(at: directory, options) { database in
            try database.define("actor") { context, _, _ in answer(Audit.actor, context) }
            try database.define("reason") { context, _, _ in answer(Audit.reason, context) }
            try database.execute(Self.schema)
        }
    }

    var database: SQLiteDatabase { peer.database }

    func count() throws -> Int {
        let count = try peer.count()
        let inserted = try database.number("SELECT count(*) FROM audit WHERE kind = 'insert'")
        try BenchmarkError.check(inserted, count, "audited insertions")
        return count
    }

    func insert(_ order: Order) throws { try peer.insert(order) }

    func insert(_ orders: [Order]) throws { try peer.insert(orders) }

    func setStatus(_ status: Order.Status, of id: UUID) throws {
        try peer.setStatus(status, of: id)
    }

    func order(_ id: UUID) throws -> Order? { try peer.order(id) }

    func totalCents(_ id: UUID) throws -> Int? { try peer.totalCents(id) }

    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order] {
        try peer.newest(restaurant, status, limit: limit)
    }

    func reader() throws -> any Peer { try AuditedSQLitePeer(at: directory) }

    func close() throws { try peer.close() }
}

/// A function of SQL in C's terms.
private typealias SQLFunction =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// Gives a text back from a function of SQL.
private func answer(_ text: String, _ context: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_result_text(
                context, $0.baseAddress, Int32($0.count), skyros_sqlite3_transient())
        }
    }
}

extension SQLiteDatabase {
    /// Makes a function of SQL without arguments.
    fileprivate func define(_ name: String, _ function: SQLFunction) throws {
        try check(
            sqlite3_create_function_v2(
                handle, name, 0, SQLITE_UTF8, nil, function, nil, nil, nil))
    }
}
