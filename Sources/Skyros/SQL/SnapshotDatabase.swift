import Foundation
import SkyrosLog
import SkyrosSQLite

/// A snapshot, and the log before it, as a database of SQL that can only be read.
///
/// One thread at a time may use it.
package final class SnapshotDatabase {
    private let state: Snapshot
    private var layout: TableLayout
    private let log: (any LogReader)?
    /// Gives all tables and columns that there ever were, where `layout` may lack some.
    private var wholeLayout: (() throws -> TableLayout)?

    init(
        _ state: Snapshot, _ layout: TableLayout, log: (any LogReader)?,
        wholeLayout: (() throws -> TableLayout)? = nil
    ) {
        self.state = state
        self.layout = layout
        self.log = log
        self.wholeLayout = wholeLayout
    }

    /// The tables of the entities, with their columns.
    package var tables: [(name: String, columns: [String])] {
        layout.entities.map { ($0.table, $0.columns.map(\.name)) }
    }

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - begin: called first, with the names of the columns.
    ///   - row: called with the values of each row.
    /// - Throws: `StoreError` with `.invalidInput` if the text is no query that reads only; what
    ///   the closures throw.
    package func run(
        _ sql: String, _ begin: ([String]) throws -> Void, _ row: ([FieldValue]) throws -> Void
    ) throws {
        let (connection, module) = try connect()
        defer { try? connection.close() }
        do {
            try Self.run(try connection.prepare(sql), begin, row)
        } catch let error as SQLiteError where error.namesUnknown && wholeLayout != nil {
            // A checkpoint does not know what was deleted before it was written.
            layout = try wholeLayout?() ?? layout
            wholeLayout = nil
            try run(sql, begin, row)
        } catch let error as SQLiteError where error.code == .authorization {
            throw Self.writes(sql)
        } catch let error as SQLiteError {
            if let failure = module.failure { throw Self.error(for: failure) }
            if error.message.contains("may not be modified") { throw Self.writes(sql) }
            throw self.error(error, in: sql)
        }
    }

    private static func run(
        _ statement: Statement, _ begin: ([String]) throws -> Void,
        _ row: ([FieldValue]) throws -> Void
    ) throws {
        guard statement.isReadOnly else { throw writes(statement.sql) }
        try begin(statement.columnNames)
        try statement.forEachRow { statement in
            try row((0..<statement.columnCount).map { statement.value(at: $0) })
        }
    }

    private func connect() throws -> (Connection, VirtualModule) {
        var tables: [(name: String, table: any VirtualTable)] = layout.entities.map { entity in
            (entity.table, EntityTable(entity, state.table(entity.name)))
        }
        if let log {
            // No entity's table begins with an underscore.
            tables.append(("_events", LogTable(.events, log, through: state.sequence)))
            tables.append(("_changes", LogTable(.changes, log, through: state.sequence)))
        }
        do throws(SQLiteError) {
            let connection = try Connection(ConnectionOptions(.memory))
            let module = try VirtualModule.create(tables, on: connection)
            try connection.refuseChanges()
            return (connection, module)
        } catch {
            throw StoreError(
                .invalidInput, "the tables cannot be made; check the names of entities and fields",
                cause: error.description)
        }
    }

    /// The error that reading the records or the log threw.
    private static func error(for failure: any Error) -> StoreError {
        guard let failure = failure as? CBORError else { return StoreError.wrapping(failure) }
        return StoreError(
            .notDecodable, "a record cannot be read; run `skyros verify`",
            cause: failure.description)
    }

    private static func writes(_ sql: String) -> StoreError {
        StoreError(.invalidInput, "a query may only read, which this does not: \(sql)")
    }

    /// The error of a query; names the tables and columns if it misses one.
    private func error(_ error: SQLiteError, in sql: String) -> StoreError {
        var message = "the query failed: \(error.message)"
        if error.namesUnknown {
            let names = layout.entities.map(\.table)
            let tables = (names + (log == nil ? [] : ["_events", "_changes"]))
            message += "; the tables are \(tables.joined(separator: ", "))"
            let words = SQLName.folded(sql)
            for entity in layout.entities where words.contains(SQLName.folded(entity.table)) {
                let columns = entity.columns.map(\.name).joined(separator: ", ")
                message += "; the columns of \(entity.table) are \(columns)"
            }
        }
        return StoreError(.invalidInput, message, cause: error.description)
    }
}

extension SQLiteError {
    /// Whether a table or a column is missing.
    fileprivate var namesUnknown: Bool {
        message.contains("no such table") || message.contains("no such column")
    }
}

extension Array<UInt8> {
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        guard !other.isEmpty, count >= other.count else { return false }
        return (0...count - other.count).contains {
            self[$0..<$0 + other.count].elementsEqual(other)
        }
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
