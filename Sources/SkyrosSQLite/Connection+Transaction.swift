import CSQLite

/// Which lock a transaction takes when it begins.
package enum TransactionKind: String, Sendable {
    /// None until the first read: for readers that need one consistent state.
    case deferred = "BEGIN DEFERRED"
    /// The writer's lock, immediately: for writers.
    case immediate = "BEGIN IMMEDIATE"
}

extension Connection {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// The first error is thrown, also if the rollback fails. On some errors SQLite has rolled back
    /// already, which is detected. A rollback stops running statements: their next step fails.
    ///
    /// - Throws: what `body` throws, or the `SQLiteError` of beginning or committing. After a
    ///   failed commit, the transaction is rolled back.
    package func transaction<R>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> R
    ) throws -> R {
        try execute(kind.rawValue)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch let first {
            rollBack()
            throw first
        }
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool {
        guard let handle = try? openHandle() else { return false }
        return sqlite3_get_autocommit(handle) == 0
    }

    /// Rolls back a transaction that is still open. An error is ignored: the first one is about to
    /// be thrown, and closing the file rolls back too.
    private func rollBack() {
        guard isInTransaction else { return }
        _ = try? execute("ROLLBACK")
    }
}
