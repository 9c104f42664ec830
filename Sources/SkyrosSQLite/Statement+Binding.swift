import CSQLite

/// Whether bytes are copied when they are bound.
package enum BindingLifetime: Sendable {
    /// SQLite keeps a copy.
    case copied
    /// SQLite keeps the address: the bytes must stay valid and unchanged until the parameter is
    /// bound again or cleared, or the statement is released.
    case borrowed

    fileprivate var destructor: sqlite3_destructor_type? {
        switch self {
        case .copied: skyros_sqlite3_transient()
        case .borrowed: skyros_sqlite3_static()
        }
    }
}

extension Statement {
    package func bindNull(at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, index))
    }

    package func bind(integer value: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a number; SQLite turns NaN into NULL.
    package func bind(real value: Double, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, index, value))
    }

    /// Binds a copy of `text`, including what follows a NUL character.
    package func bind(string text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { bytes in
            bindText(UnsafeRawBufferPointer(bytes), at: index, .copied)
        }
        try check(code)
    }

    /// Binds bytes as TEXT; they must be UTF-8.
    package func bind(
        text: UnsafeRawBufferPointer, at index: Int32, _ lifetime: BindingLifetime
    ) throws(SQLiteError) {
        try check(bindText(text, at: index, lifetime))
    }

    /// Binds bytes as BLOB.
    package func bind(
        blob: UnsafeRawBufferPointer, at index: Int32, _ lifetime: BindingLifetime
    ) throws(SQLiteError) {
        guard let start = blob.baseAddress else {
            // A null address would be bound as NULL instead of an empty blob.
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        let count = UInt64(blob.count)
        try check(sqlite3_bind_blob64(handle, index, start, count, lifetime.destructor))
    }

    private func bindText(
        _ text: UnsafeRawBufferPointer, at index: Int32, _ lifetime: BindingLifetime
    ) -> Int32 {
        guard let start = text.baseAddress else {
            // A null address would be bound as NULL instead of an empty text.
            return sqlite3_bind_text(handle, index, "", 0, skyros_sqlite3_transient())
        }
        // The cast is sound: SQLite reads the bytes one by one, and Swift does not write to
        // them meanwhile.
        return sqlite3_bind_text64(
            handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(text.count),
            lifetime.destructor, UInt8(SQLITE_UTF8))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error() }
    }
}
