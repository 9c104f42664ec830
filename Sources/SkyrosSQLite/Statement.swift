import CSQLite

/// A compiled SQL statement: bind, step, read columns, reset, again.
///
/// Parameters count from 1, columns from 0, as in SQLite. A statement retains its connection, and
/// the same thread rule applies.
///
/// ```swift
/// let statement = try connection.prepare("SELECT name FROM city WHERE size > ?1")
/// try statement.bind(integer: 100_000, at: 1)
/// while try statement.step() { print(statement.string(at: 0)) }
/// statement.reset()
/// ```
package final class Statement {
    /// The SQL text.
    package let sql: String
    let handle: OpaquePointer
    private let connection: Connection

    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        let database = try connection.openHandle()
        var handle: OpaquePointer?
        // The length excludes the trailing NUL. SQLite ends SQL at any other NUL; the check below
        // finds the rest.
        var isWhole = true
        var sqlCopy = sql
        let code = sqlCopy.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return SQLITE_OK }
                var tail: UnsafePointer<CChar>?
                let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
                let code = sqlite3_prepare_v3(
                    database, start, Int32(clamping: text.count), flags, &handle, &tail)
                if let tail { isWhole = tail == start + text.count }
                return code
            }
        }
        guard code == SQLITE_OK else { throw connection.error(at: .sql(sql)) }
        guard let handle, isWhole else {
            sqlite3_finalize(handle)
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "not exactly one SQL statement",
                place: .sql(sql))
        }
        self.sql = sql
        self.handle = handle
        self.connection = connection
    }

    deinit {
        // Its result repeats the last step's error, which has been thrown already.
        sqlite3_finalize(handle)
    }

    /// Whether it does not change the database.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Runs to the next row; returns false if there is none.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw error() }
        return false
    }

    /// Makes the statement ready to run again; parameters keep their values.
    package func reset() {
        // Its result repeats the last step's error, which has been thrown already.
        sqlite3_reset(handle)
    }

    /// Runs a statement without rows, and resets it.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Reads the first row with `body` and resets the statement; returns nil if there is no row.
    package func single<R>(_ body: (Statement) -> R) throws(SQLiteError) -> R? {
        defer { reset() }
        return try step() ? body(self) : nil
    }

    /// Calls `body` at each row, and resets the statement, also if `body` throws.
    package func forEachRow(_ body: (Statement) throws -> Void) throws {
        defer { reset() }
        while try step() { try body(self) }
    }

    func error() -> SQLiteError {
        connection.error(at: .sql(sql))
    }
}
