import CSQLite

/// One open SQLite database, configured for durability and against hostile files.
///
/// This module is responsible for: opening and configuring, statements, transactions, and
/// errors with their place. It is not responsible for: the meaning of tables, and threads.
///
/// One thread at a time may use a connection and its statements, because SQLite's own locks are
/// off. So the class is not `Sendable`: move it between threads with `sending` or under a lock.
///
/// ```swift
/// let connection = try Connection(ConnectionOptions(.file("/tmp/a.sqlite")))
/// try connection.execute("CREATE TABLE a(x)")
/// try connection.close()
/// ```
package final class Connection {
    /// Open until `close` has succeeded.
    private var handle: OpaquePointer?
    /// The gate of its files while it is open.
    private var registration: GatedFileSystem.Registration?
    /// The place that errors without SQL name.
    package let path: String

    /// Opens and configures a database.
    ///
    /// - Throws: `cannotOpen` for a missing file or a symbolic link; `readOnly` for a file
    ///   without permission to write; `notADatabase` and `corrupt` for a file that is not a
    ///   database, or one in WAL mode, which this library never writes; `busy` when another
    ///   connection holds an exclusive lock.
    package init(_ options: ConnectionOptions) throws(SQLiteError) {
        path = options.displayPath
        if options.vfs == nil, let gate = options.gate {
            registration = GatedFileSystem.register(
                gate, for: path, readOnly: options.access == .readOnly)
        }
        do {
            let handle = try Self.open(options)
            self.handle = handle
            try configure(options)
        } catch {
            closeLater()
            throw error
        }
    }

    deinit {
        closeLater()
    }

    private func closeLater() {
        // This version of close defers it until the last statement is finalized.
        sqlite3_close_v2(handle)
        handle = nil
        removeGate()
    }

    /// SQLite changes no file of a closed connection.
    private func removeGate() {
        if let registration { GatedFileSystem.remove(registration) }
        registration = nil
    }

    /// Closes the database; a second call does nothing.
    ///
    /// - Throws: `busy` when statements are alive; the connection stays open then.
    package func close() throws(SQLiteError) {
        guard let handle else { return }
        let code = sqlite3_close(handle)
        guard code == SQLITE_OK else { throw error(at: .path(path)) }
        self.handle = nil
        removeGate()
    }

    private static func open(_ options: ConnectionOptions) throws(SQLiteError) -> OpaquePointer {
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW
        let mode =
            switch (options.access, options.location) {
            case (.readOnly, .file): SQLITE_OPEN_READONLY
            case (.readWriteCreate, .file): SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case (_, .memory): SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            }
        let path = options.displayPath
        guard !path.utf8.contains(0) else {
            let message = "the path contains a NUL character"
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: message, place: .path(path))
        }
        var handle: OpaquePointer?
        let vfs = options.vfs ?? (options.gate == nil ? nil : GatedFileSystem.vfs)
        let code = sqlite3_open_v2(options.openPath, &handle, flags | mode, vfs)
        guard code == SQLITE_OK, let handle else {
            let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SQLiteError(extendedCode: extended, message: message, place: .path(path))
        }
        return handle
    }
}

extension Connection {
    /// The open handle.
    func openHandle() throws(SQLiteError) -> OpaquePointer {
        guard let handle else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "the connection is closed",
                place: .path(path))
        }
        return handle
    }

    /// The error of the last call on this connection.
    func error(at place: SQLiteError.Place) -> SQLiteError {
        SQLiteError(
            extendedCode: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)), place: place)
    }

    /// Runs one or more SQL statements, and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let handle = try openHandle()
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw error(at: .sql(sql))
        }
    }

    /// Compiles one SQL statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, on: self)
    }

    /// The number of page writes by this connection.
    package var pageWriteCount: Int {
        guard let handle else { return 0 }
        var count: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return Int(count)
    }
}

extension ConnectionOptions {
    /// The path that errors show.
    fileprivate var displayPath: String {
        switch location {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }

    /// The path in a form that SQLite reads neither as a URI nor as a special name.
    fileprivate var openPath: String {
        switch location {
        case .file(let path): path.hasPrefix("/") ? path : "./" + path
        case .memory: ":memory:"
        }
    }
}
