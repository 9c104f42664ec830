import BenchmarkModel
import Foundation

/// SQLite through its C interface: prepared statements, a write-ahead log, one writer.
///
/// Writers share one connection under a lock, which is faster than connections that wait for
/// each other inside SQLite. Each reading thread has its own connection, unless one holds the file
/// exclusively.
final class SQLitePeer: Peer {
    let database: SQLiteDatabase
    private let directory: URL
    private let isExclusive: Bool
    private let writer = NSLock()
    private let insertion: SQLiteStatement
    private let update: SQLiteStatement
    private let lookup: SQLiteStatement
    private let field: SQLiteStatement
    private let query: SQLiteStatement

    private static let columns =
        "id, customer, restaurant, status, totalCents, createdAt, items, note, rating"

    /// Rows are numbered and the id has its own index. With a million rows that is faster
    /// than a table ordered by its id (WITHOUT ROWID) in inserts (68 k against 47 k rows a second)
    /// and queries (38 k against 21 k), as fast in updates, and slower in reads by id (155 k
    /// against 190 k).
    private static let schema = """
        CREATE TABLE IF NOT EXISTS orders (
            id BLOB NOT NULL PRIMARY KEY, customer TEXT NOT NULL, restaurant TEXT NOT NULL,
            status TEXT NOT NULL, totalCents INTEGER NOT NULL, createdAt REAL NOT NULL,
            items INTEGER NOT NULL, note TEXT, rating REAL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS ordersByRestaurant
            ON orders (restaurant, status, createdAt);
        """

    /// - Parameter extra: what else belongs to the schema.
    init(
        at directory: URL, _ options: PeerOptions = PeerOptions(),
        extra: (SQLiteDatabase) throws -> Void = { _ in }
    ) throws {
        self.directory = directory
        isExclusive = options.isExclusive
        database = try SQLiteDatabase(at: Self.file(in: directory), options)
        try database.execute(Self.schema)
        try extra(database)
        insertion = try SQLiteStatement(
            database, "INSERT INTO orders (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        update = try SQLiteStatement(database, "UPDATE orders SET status = ? WHERE id = ?")
        lookup = try SQLiteStatement(
            database, "SELECT \(Self.columns) FROM orders WHERE id = ?")
        field = try SQLiteStatement(database, "SELECT totalCents FROM orders WHERE id = ?")
        query = try SQLiteStatement(
            database,
            """
            SELECT \(Self.columns) FROM orders WHERE restaurant = ? AND status = ?
            ORDER BY createdAt DESC LIMIT ?
            """)
    }

    static func file(in directory: URL) -> URL {
        directory.appending(path: "orders.sqlite")
    }

    func count() throws -> Int {
        try database.number("SELECT count(*) FROM orders")
    }

    func insert(_ order: Order) throws {
        try writer.withLock { try add(order) }
    }

    func insert(_ orders: [Order]) throws {
        try writer.withLock {
            try database.execute("BEGIN")
            for order in orders { try add(order) }
            try database.execute("COMMIT")
        }
    }

    func setStatus(_ status: Order.Status, of id: UUID) throws {
        try writer.withLock {
            update.bind(status.rawValue, at: 1)
            update.bind(id, at: 2)
            try update.run()
        }
    }

    func order(_ id: UUID) throws -> Order? {
        lookup.bind(id, at: 1)
        defer { lookup.reset() }
        return try lookup.step() ? Self.order(in: lookup) : nil
    }

    func totalCents(_ id: UUID) throws -> Int? {
        field.bind(id, at: 1)
        defer { field.reset() }
        return try field.step() ? field.integer(0) : nil
    }

    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order] {
        query.bind(restaurant, at: 1)
        query.bind(status.rawValue, at: 2)
        query.bind(limit, at: 3)
        defer { query.reset() }
        var orders: [Order] = []
        while try query.step() { orders.append(try Self.order(in: query)) }
        return orders
    }

    func reader() throws -> any Peer {
        guard !isExclusive else {
            throw BenchmarkError("one connection holds \(directory.path) exclusively")
        }
        return try SQLitePeer(at: directory)
    }

    func close() throws {
        for statement in [insertion, update, lookup, field, query] { statement.finalize() }
        try database.close()
    }

    private func add(_ order: Order) throws {
        insertion.bind(order.id, at: 1)
        insertion.bind(order.customer, at: 2)
        insertion.bind(order.restaurant, at: 3)
        insertion.bind(order.status.rawValue, at: 4)
        insertion.bind(order.totalCents, at: 5)
        insertion.bind(order.createdAt, at: 6)
        insertion.bind(order.items, at: 7)
        insertion.bind(order.note, at: 8)
        insertion.bind(order.rating, at: 9)
        try insertion.run()
    }

    /// The order in the current row of the statement.
    static func order(in row: SQLiteStatement) throws -> Order {
        guard let status = Order.Status(rawValue: row.text(3)) else {
            throw BenchmarkError("SQLite: no such status")
        }
        return Order(
            id: row.uuid(0), customer: row.text(1), restaurant: row.text(2), status: status,
            totalCents: row.integer(4), createdAt: row.double(5), items: row.integer(6),
            note: row.optionalText(7), rating: row.optionalDouble(8))
    }
}
