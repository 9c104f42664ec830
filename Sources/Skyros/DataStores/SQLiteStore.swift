public import Foundation
import SkyrosDisk
import SkyrosSQLite

/// A ``DataStore`` in one SQLite file, without a history: for an app that comes from another
/// library, for comparison, and for data whose past is worth nothing.
///
///     let data: any DataStore = try SQLiteStore(at: url)
///     try data.transaction { tx in try tx.insert(user) }
///
/// The file has one table, `record`, with a row for each record: its entity, its id and its fields
/// as CBOR, and the fields as JSON for people. Each commit is a transaction and durable when it
/// returns. Unique indexes and relations of the types are not enforced; a ``Store`` does.
///
/// All functions may be called from any thread; commits run one at a time.
public final class SQLiteStore: Sendable {
    let connection: Locked<Borrowing>
    /// Held by the thread that runs a commit.
    let lock = WriterLock()

    /// The connection, used by one thread at a time.
    ///
    /// - Note: `@unchecked` because a connection is not `Sendable`: it is reached under the lock.
    struct Borrowing: @unchecked Sendable {
        /// Nil once the store was closed.
        var value: Connection?
    }

    /// Opens the file at `url`, or creates it, with missing directories.
    ///
    /// - Throws: `StoreError` with `.notAStore` if the file is no database of this kind,
    ///   `.invalidInput` if `url` is no file URL, `.alreadyOpen` if another process keeps it
    ///   locked, `.insecurePath`, `.io`.
    public convenience init(at url: URL) throws {
        let directory = url.deletingLastPathComponent()
        let disk = try StoreDirectory.disk(at: directory, creating: true)
        let file = DiskPath(.root, url.lastPathComponent)
        // SQLite would let all users read a file that it creates.
        if try StoreError.wrap(try disk.status(of: file)) == nil {
            try StoreError.wrap(try disk.createFile(file).close())
        }
        guard let path = disk.databaseDirectory?.path(of: file.name) else {
            throw StoreError(.io, "\(url.path) has no place for a database")
        }
        try self.init(ConnectionOptions(.file(path), busyTimeoutMilliseconds: 5_000))
    }

    /// A store in memory, which ends with its last reference.
    public convenience init() throws {
        try self.init(ConnectionOptions(.memory))
    }

    private init(_ options: ConnectionOptions) throws {
        let connection = try SQLiteStore.wrapping { try Connection(options) }
        try SQLiteStore.wrapping { try Self.prepare(connection) }
        self.connection = Locked(Borrowing(value: connection))
    }

    /// The mark of these files: "SkDS".
    private static let applicationID: Int64 = 0x536B_4453
    private static let version: Int64 = 1

    private static func prepare(_ connection: Connection) throws {
        try connection.transaction {
            let mark = try connection.integer("PRAGMA application_id")
            let tableCount = try connection.integer("SELECT count(*) FROM sqlite_schema")
            guard mark == applicationID || (mark == 0 && tableCount == 0) else {
                throw StoreError(
                    .notAStore,
                    "\(connection.path) is a database, but not of a SQLiteStore; name another "
                        + "file, or import it with `skyros import`",
                    at: StoreError.Place(file: connection.path))
            }
            if mark == applicationID {
                let version = try connection.integer("PRAGMA user_version")
                guard version == Self.version else {
                    throw StoreError(
                        .unsupportedFormat,
                        "\(connection.path) has version \(version) of the format of SQLiteStore; "
                            + "this version reads \(Self.version). Nothing was changed",
                        at: StoreError.Place(file: connection.path))
                }
                return
            }
            try connection.execute(
                """
                CREATE TABLE record(
                    entity TEXT NOT NULL, id BLOB NOT NULL, fields BLOB NOT NULL,
                    json TEXT NOT NULL, PRIMARY KEY(entity, id)) WITHOUT ROWID;
                PRAGMA application_id=\(applicationID);
                PRAGMA user_version=\(version);
                """)
        }
    }

    /// Runs `body` with the connection; errors of SQLite become errors of a store.
    func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
        try connection.withLock { connection in
            guard let connection = connection.value else { throw StoreError.closed }
            return try Self.wrapping { try body(connection) }
        }
    }

    static func wrapping<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error)
        }
    }
}

extension Connection {
    fileprivate func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try prepare(sql).single { $0.integer(at: 0) } ?? 0
    }
}

extension StoreError {
    /// An error of SQLite in a database that is no checkpoint.
    fileprivate init(_ error: SQLiteError) {
        let code: Code =
            switch error.code {
            case .full: .diskFull
            case .busy, .locked: .alreadyOpen
            case .corrupt, .notADatabase: .notAStore
            default: .io
            }
        self.init(code, error.explanation)
    }
}
