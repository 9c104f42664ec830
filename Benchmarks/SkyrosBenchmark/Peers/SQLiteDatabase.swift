import CSQLite
import Foundation

/// A connection to SQLite with the settings that its best users give it.
///
/// Unchecked because SQLite is opened without its own locks: its owner lets one thread
/// at a time use it.
final class SQLiteDatabase: @unchecked Sendable {
    let handle: OpaquePointer

    /// If the options do not ask for durable commits, commits survive the end of the process and
    /// not that of the machine, as those of a buffered store.
    init(at file: URL, _ options: PeerOptions) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(file.path(percentEncoded: false), &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            throw BenchmarkError("SQLite cannot open \(file.path): \(code)")
        }
        self.handle = handle
        // Before the log is first used: its index then lies in this process's memory.
        let locking = options.isExclusive ? "EXCLUSIVE" : "NORMAL"
        try execute(
            """
            PRAGMA locking_mode = \(locking);
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = \(options.isDurable ? "FULL" : "OFF");
            PRAGMA wal_autocheckpoint = \(options.checkpoints ? 10_000 : 0);
            PRAGMA cache_size = -65536;
            PRAGMA mmap_size = 8589934592;
            PRAGMA temp_store = MEMORY;
            """)
    }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The first number that a query gives.
    func number(_ sql: String) throws -> Int {
        let statement = try SQLiteStatement(self, sql)
        defer { statement.finalize() }
        guard try statement.step() else { throw BenchmarkError("no row: \(sql)") }
        return statement.integer(0)
    }

    func check(_ code: Int32) throws {
        guard [SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code) else {
            throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    func close() throws {
        try check(sqlite3_close(handle))
    }
}
