import Foundation
import SkyrosSQLite

/// What a SQL query over a snapshot gave.
public struct SQLResult: Sendable {
    /// The names of the columns.
    public let columns: [String]
    /// The rows; each has one value a column.
    public let rows: [[FieldValue]]
}

extension Snapshot {
    /// Runs a SQL query over the records: one table an entity, with the columns of the checkpoint.
    ///
    ///     let rows = try archive.snapshot(asOf: .date(then)).query("SELECT … FROM \"Order\"")
    ///
    /// - Complexity: O(size of the state), which is written to a database in memory first.
    /// - Throws: `StoreError` with `.invalidInput` if the text is no query that reads only,
    ///   `.checkpointFailed` if the state cannot be written as a database.
    public func query(_ sql: String) throws -> SQLResult {
        do {
            let database = try CheckpointDatabase(ConnectionOptions(.memory))
            defer { try? database.close() }
            try Checkpointer.fill(database, with: self)
            try database.connection.refuseChanges()
            let statement = try database.connection.prepare(sql)
            guard statement.isReadOnly else { throw Self.writes(sql) }
            var rows: [[FieldValue]] = []
            try statement.forEachRow { row in
                rows.append((0..<row.columnCount).map { row.value(at: $0) })
            }
            return SQLResult(columns: statement.columnNames, rows: rows)
        } catch let error as SQLiteError where error.code == .authorization {
            throw Self.writes(sql)
        } catch let error as SQLiteError {
            throw StoreError(.invalidInput, "the query failed", cause: error.description)
        } catch let error as CheckpointError {
            throw StoreError(error, in: "a database in memory")
        }
    }

    private static func writes(_ sql: String) -> StoreError {
        StoreError(.invalidInput, "a query may only read, which this does not: \(sql)")
    }
}

extension Statement {
    fileprivate func value(at index: Int32) -> FieldValue {
        switch storageType(at: index) {
        case .integer: .integer(Int128(integer(at: index)))
        case .real: .double(real(at: index))
        case .text: .text(string(at: index))
        case .blob: .bytes(.init(bytes(at: index)))
        case .null: .null
        }
    }
}
