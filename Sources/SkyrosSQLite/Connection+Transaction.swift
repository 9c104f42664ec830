import CSQLite

/// Which lock a transaction takes when it begins.
package enum TransactionKind: String, Sendable {
    /// Nothing until the first read: for readers that want one consistent state.
    case deferred = "BEGIN DEFERRED"
    /// The one writer's lock at once: for writers.
    case immediate = "BEGIN IMMEDIATE"
}

extension Connection {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// The first error wins: a rollback that fails does not hide why it was needed. SQLite
    /// itself rolls back on some errors; that is noticed. Statements that are still running
    /// when the body throws are stopped by the rollback; their next step fails.
    ///
    /// - Throws: what `body` throws, or the `SQLiteError` of beginning or committing. After a
    ///   commit that failed nothing of the transaction is left.
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

    /// Rolls back whatever is still open. Its own failure is of no use to anybody: the error
    /// that brought us here is on its way, and closing the file has the same effect.
    private func rollBack() {
        guard isInTransaction else { return }
        _ = try? execute("ROLLBACK")
    }
}
