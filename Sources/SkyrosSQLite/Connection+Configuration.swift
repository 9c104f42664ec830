import CSQLite

extension Connection {
    /// The page size of every database that the library creates. It is part of the format.
    package static let pageBytes = 4096

    /// Applies the settings for durability and against hostile files.
    ///
    /// None of them changes an existing file. The order matters: the timeout comes first, because
    /// reading the journal mode takes a lock; `distrust` comes before any read of the schema.
    func configure(_ options: ConnectionOptions) throws(SQLiteError) {
        let handle = try openHandle()
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, options.busyTimeoutMilliseconds)
        // The library attaches no database.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        try distrust(handle)
        try execute(
            """
            PRAGMA trusted_schema=OFF;
            PRAGMA cell_size_check=ON;
            PRAGMA mmap_size=0;
            PRAGMA temp_store=MEMORY;
            PRAGMA cache_size=-\(max(1, options.cacheBytesMax >> 10));
            PRAGMA page_size=\(Self.pageBytes);
            PRAGMA auto_vacuum=NONE;
            PRAGMA synchronous=EXTRA;
            PRAGMA fullfsync=ON;
            PRAGMA checkpoint_fullfsync=ON;
            PRAGMA secure_delete=ON;
            """)
        if !options.isForeign { try requireRollbackJournal() }
        try requireAccess(options.access, handle)
        if options.keepsJournalInMemory { try execute("PRAGMA journal_mode=MEMORY") }
    }

    /// Switches off triggers, views, extensions and legacy syntax, which a file could abuse.
    private func distrust(_ handle: OpaquePointer) throws(SQLiteError) {
        let flags: [(flag: Int32, on: Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
            (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
            // A name in double quotes that is no column is an error, not a string.
            (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0),
        ]
        for (flag, on) in flags {
            // A build of SQLite without the feature does not know its flag.
            let code = skyros_sqlite3_db_config_flag(handle, flag, on)
            guard code == SQLITE_OK || code == SQLITE_ERROR else {
                throw error(at: .path(path))
            }
        }
    }

    /// Refuses a database in WAL mode. The mode is stored in the file, which must not change.
    private func requireRollbackJournal() throws(SQLiteError) {
        let sql = "PRAGMA journal_mode"
        let mode = try prepare(sql).single { $0.string(at: 0) } ?? ""
        guard mode == "delete" || mode == "memory" else {
            let message = "the journal mode is \(mode), so this library did not write the file"
            throw SQLiteError(extendedCode: SQLITE_NOTADB, message: message, place: .path(path))
        }
    }

    /// Refuses a database that cannot be written: SQLite opens it without an error, and the first
    /// write would fail.
    private func requireAccess(
        _ access: ConnectionOptions.Access, _ handle: OpaquePointer
    ) throws(SQLiteError) {
        guard access == .readWriteCreate, sqlite3_db_readonly(handle, "main") != 0 else { return }
        throw SQLiteError(
            extendedCode: SQLITE_READONLY, message: "the database can only be read",
            place: .path(path))
    }
}
