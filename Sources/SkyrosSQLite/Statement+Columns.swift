import CSQLite

/// The columns of the current row, which the last `step` reached. Without a row, and beyond the
/// last column, SQLite returns NULL.
extension Statement {
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The names of the columns, as the SQL text names them.
    package var columnNames: [String] {
        (0..<columnCount).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    /// The type of the stored value. Call it before reading: a read that converts changes it.
    package func storageType(at index: Int32) -> StorageType {
        StorageType(rawValue: sqlite3_column_type(handle, index)) ?? .null
    }

    package func isNull(at index: Int32) -> Bool {
        sqlite3_column_type(handle, index) == SQLITE_NULL
    }

    package func integer(at index: Int32) -> Int64 {
        sqlite3_column_int64(handle, index)
    }

    package func real(at index: Int32) -> Double {
        sqlite3_column_double(handle, index)
    }

    /// The bytes of a TEXT or BLOB, without a copy.
    ///
    /// They are valid until the next step, reset, or conversion of the same column. A value of
    /// another type is converted to text. Text is in the encoding of the database, which is UTF-8
    /// for those that this library creates.
    package func bytes(at index: Int32) -> UnsafeRawBufferPointer {
        // The address comes first: reading it may convert the value and change the length.
        let start = sqlite3_column_blob(handle, index)
        let count = Int(sqlite3_column_bytes(handle, index))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    /// A copy of the value as text, also in a database whose encoding is not UTF-8.
    package func text(at index: Int32) -> String {
        guard let start = sqlite3_column_text(handle, index) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A copy of the value as text; bytes that are not UTF-8 become replacement characters.
    package func string(at index: Int32) -> String {
        String(decoding: bytes(at: index), as: UTF8.self)
    }
}
