import CSQLite

/// An error of SQLite, with its place and the remedy, if there is one.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The primary result code, by which callers decide.
    package let code: ResultCode
    /// The extended result code, which says more about the cause.
    package let extendedCode: Int32
    /// SQLite's message, in English.
    package let message: String
    /// The file or the SQL text that failed.
    package let place: Place

    /// The subject of an error.
    package enum Place: Hashable, Sendable {
        case path(String)
        case sql(String)
    }

    package init(extendedCode: Int32, message: String, place: Place) {
        code = ResultCode(rawValue: extendedCode & 0xFF)
        self.extendedCode = extendedCode
        self.message = message
        self.place = place
    }
}

extension SQLiteError {
    /// What to do, in one sentence; nil if no remedy is known.
    package var remedy: String? {
        switch code {
        case .busy, .locked: "Another connection uses the database: let it finish, then retry."
        case .full: "The disk is full: free some space, then retry."
        case .permission, .authorization: "Check the owner and the permissions of the file."
        case .readOnly: "The file or its directory is read-only: check permissions and mount."
        case .cannotOpen:
            "Check that the directory exists and is writable, and that no part is a symbolic link."
        case .corrupt, .notADatabase: "The file is damaged or not a database: set it aside."
        case .outOfMemory: "The process is out of memory: free some, then retry."
        case .tooBig: "A value exceeds SQLite's limit of about one gigabyte: split it."
        case .inputOutput: "The disk failed to read or write: check the disk and the system log."
        default: nil
        }
    }

    /// Whether a process died during a transaction, which only a connection that may write can roll
    /// back.
    package var isUnfinishedTransaction: Bool { extendedCode == SQLITE_READONLY | 3 << 8 }

    /// Whether the cause is the file's content, and not the disk, the system or the caller.
    package var isDamage: Bool { code == .corrupt || code == .notADatabase }
}

extension SQLiteError {
    /// The error without its place and remedy.
    package var summary: String { "SQLite error \(extendedCode): \(message)" }

    /// The error with its file and remedy, and without SQL text, for readers who did not write it.
    package var explanation: String {
        if case .path(let path) = place { sentence("in the file \(path)") } else { sentence(nil) }
    }

    private func sentence(_ place: String?) -> String {
        let head = [summary, place].compactMap(\.self).joined(separator: ", ")
        return [head + ".", remedy].compactMap(\.self).joined(separator: " ")
    }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        if case .sql(let sql) = place { sentence("in \(sql)") } else { explanation }
    }
}
