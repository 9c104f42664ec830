import Foundation
import Skyros
import SkyrosDisk
import SkyrosSQLite

/// The rows of the tables of a SQLite database: each table is an entity, each column a field.
///
/// The id is the primary key; a list, if that has several columns; the number of the row, if there
/// is none. All readings see the same state. The file is not changed.
final class SQLiteSource: ImportSource {
    /// The name of the file, for people.
    private let name: String
    private let connection: Connection
    private let tables: [ImportTable]
    private let names: FieldNames

    let guessedKinds: [FieldKind] = [.uuid, .date]

    /// - Parameter wanted: the tables to import, with the names of their entities; empty for all.
    /// - Throws: `StoreError` with `.invalidInput` if the file is no database, or lacks a table.
    init(
        _ file: URL, tables wanted: [(table: String, entity: String)], _ names: FieldNames
    ) throws {
        self.names = names
        let name = file.lastPathComponent
        self.name = name
        var options = ConnectionOptions(
            .file(try Self.resolved(file)), access: .readOnly, busyTimeoutMilliseconds: 5_000)
        options.isForeign = true
        (connection, tables) = try Self.naming(name) {
            let connection = try Connection(options)
            try connection.execute("BEGIN")
            let all = try CoreDataModel.tables(in: connection) ?? Self.tables(in: connection)
            return (connection, try Self.choose(wanted, of: all, name))
        }
    }

    private static func choose(
        _ wanted: [(table: String, entity: String)], of all: [ImportTable], _ file: String
    ) throws -> [ImportTable] {
        if wanted.isEmpty { return all }
        return try wanted.map { table, entity in
            guard let found = all.first(where: { $0.entity == table || $0.name == table }) else {
                let list = all.map(\.entity).joined(separator: ", ")
                throw StoreError.input(file, "there is no table \(table); the tables are \(list)")
            }
            return found.named(entity)
        }
    }

    /// Runs `body`; errors of SQLite become those of an input.
    private static func naming<R>(_ file: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError.input(file, error.explanation)
        }
    }

    /// The path without symbolic links.
    private static func resolved(_ file: URL) throws -> String {
        do throws(DiskError) {
            return try System.realPath(file.path(percentEncoded: false))
        } catch {
            throw StoreError(
                .io, "\(file.path(percentEncoded: false)) cannot be read",
                cause: error.description)
        }
    }

    private static func tables(in connection: Connection) throws -> [ImportTable] {
        var names: [String] = []
        let sql = """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' \
            ESCAPE '\\' ORDER BY name
            """
        try connection.prepare(sql).forEachRow { names.append($0.text(at: 0)) }
        return try names.map { try ImportTable($0, in: connection) }
    }

    func forEachRow(_ body: (ImportRow) throws -> Void) throws {
        try Self.naming(name) {
            for table in tables {
                let statement = try connection.prepare(table.sql)
                var number = 0
                try statement.forEachRow { row in
                    number += 1
                    let place = "row \(number) of the table \(table.name)"
                    try body(table.row(row, place, names))
                }
            }
        }
    }
}

extension Statement {
    /// The value of a column; nil for NULL.
    func value(at index: Int32) -> FieldValue? {
        switch storageType(at: index) {
        case .null: nil
        case .integer: .integer(Int128(integer(at: index)))
        case .real: .double(real(at: index))
        case .text: .text(text(at: index))
        case .blob: .bytes(Data(bytes(at: index)))
        }
    }
}
