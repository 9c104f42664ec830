import Foundation
import Skyros

/// The file that a command imports, and how it is read.
struct ImportInput {
    private enum Format: String {
        case csv, jsonl, sqlite
    }

    private let file: URL
    private let format: Format
    private let entity: String?
    private let idField: String
    private let separator: UInt8
    private let tables: [(table: String, entity: String)]
    private let names: FieldNames

    /// The name of the file, for people.
    var name: String { file.lastPathComponent }

    /// - Throws: `UsageError` if the arguments do not fit each other.
    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 1 else { throw UsageError("import needs one file") }
        file = URL(filePath: arguments.rest[0])
        format = try Self.format(of: file, arguments.text("format"))
        entity = arguments.text("entity")
        idField = arguments.text("id") ?? "id"
        separator = try Self.separator(arguments.text("separator") ?? ",")
        tables = try arguments.texts("table").map { text in
            guard text.unicodeScalars.contains("=") else { return (text, text) }
            return try Arguments.pair(text, of: "table")
        }
        names = FieldNames(
            renamed: Dictionary(
                try arguments.texts("rename").map { try Arguments.pair($0, of: "rename") }
            ) { $1 })
        if entity?.isEmpty == true { throw UsageError("--entity needs a name") }
        if format == .csv, entity == nil { throw UsageError("CSV needs --entity") }
        if format != .sqlite, !tables.isEmpty { throw UsageError("--table is for databases") }
        if format == .sqlite, entity != nil || arguments.text("id") != nil {
            throw UsageError("the tables of a database are entities; use --table TABLE=ENTITY")
        }
    }

    private static func format(of file: URL, _ name: String?) throws -> Format {
        if let name {
            guard let format = Format(rawValue: name) else {
                throw UsageError("--format must be csv, jsonl or sqlite")
            }
            return format
        }
        switch file.pathExtension.lowercased() {
        case "csv", "tsv": return .csv
        case "jsonl", "ndjson", "json": return .jsonl
        case "sqlite", "sqlite3", "db", "storedata": return .sqlite
        default: throw UsageError("name the format of \(file.lastPathComponent) with --format")
        }
    }

    private static func separator(_ text: String) throws -> UInt8 {
        if text == "tab" { return UInt8(ascii: "\t") }
        guard text.utf8.count == 1, let byte = text.utf8.first, !"\"\r\n".utf8.contains(byte) else {
            throw UsageError("--separator takes one ASCII character, or \"tab\"")
        }
        return byte
    }

    /// Opens the file. A text is read as a whole, so that all passes see the same.
    ///
    /// - Throws: `StoreError` with `.io` or `.invalidInput`.
    func open() throws -> any ImportSource {
        switch format {
        case .csv:
            CSVSource(
                bytes: try bytes(), separator: separator, entity: entity ?? "", idField: idField,
                names: names)
        case .jsonl:
            JSONLinesSource(bytes: try bytes(), entity: entity, idField: idField, names: names)
        case .sqlite: try SQLiteSource(file, tables: tables, names)
        }
    }

    private func bytes() throws -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: file))
        } catch {
            throw StoreError(
                .io, "\(file.path(percentEncoded: false)) cannot be read",
                cause: error.localizedDescription)
        }
    }
}

extension Arguments {
    /// The two sides of `NAME=VALUE`.
    static func pair(_ text: String, of option: String) throws -> (String, String) {
        let scalars = text.unicodeScalars
        guard let end = scalars.firstIndex(of: "="), end != scalars.startIndex,
            scalars.index(after: end) != scalars.endIndex
        else { throw UsageError("--\(option) takes two names: \(text)=…") }
        return (String(scalars[..<end]), String(scalars[scalars.index(after: end)...]))
    }
}
