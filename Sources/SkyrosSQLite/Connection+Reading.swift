import CSQLite

extension Connection {
    /// Refuses the statements that change something although `Statement.isReadOnly` is true: some
    /// pragmas, transactions, and attaching other databases. From now on, preparing one throws
    /// `authorization`.
    ///
    /// Source: https://www.sqlite.org/c3ref/stmt_readonly.html names the exceptions.
    package func refuseChanges() throws(SQLiteError) {
        let handle = try openHandle()
        let code = sqlite3_set_authorizer(
            handle,
            { _, action, first, second, _, _ in
                let isAllowed =
                    switch action {
                    case SQLITE_PRAGMA: Connection.reads(pragma: first, argument: second)
                    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: false
                    default: true
                    }
                return isAllowed ? SQLITE_OK : SQLITE_DENY
            }, nil)
        guard code == SQLITE_OK else { throw error(at: .path(path)) }
    }

    private static func reads(
        pragma name: UnsafePointer<CChar>?, argument: UnsafePointer<CChar>?
    ) -> Bool {
        guard let name = name.map({ String(cString: $0).lowercased() }) else { return false }
        return questions.contains(name) || argument == nil && values.contains(name)
    }

    /// Pragmas that describe what their argument names.
    private static let questions: Set = [
        "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list",
        "table_xinfo",
    ]

    /// Pragmas that change nothing if they have no argument.
    private static let values: Set = [
        "application_id", "collation_list", "compile_options", "database_list", "encoding",
        "function_list", "module_list", "page_count", "page_size", "pragma_list",
        "schema_version", "user_version",
    ]
}
