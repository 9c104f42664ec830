import Foundation
import Skyros

/// `skyros export`: data out.
struct ExportCommand: Command {
    static let name = "export"
    static let summary = "The records as JSON lines, CSV or a SQLite file"
    static let usage = "STORE [ENTITY] --format jsonl|csv|sqlite [--at MOMENT] [--into PATH]"
    static let details = """
          --format jsonl    one JSON object a record: {"entity", "id", "record"}
          --format csv      one line a record, one column a field; name the entity
          --format sqlite   an ordinary SQLite file of all entities; needs --into
          --at MOMENT       the number of an event, or a time such as 2026-03-01T12:00:00Z
          --into PATH       a file instead of the output

          skyros export Orders.skyros Restaurant --format csv > restaurants.csv
          skyros export Orders.skyros --format sqlite --into orders.sqlite
        """
    static let options: Set<String> = ["format", "at", "into"]

    private let arguments: Arguments
    private let format: String
    private let moment: Moment?
    private let target: URL?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count <= 1 else { throw UsageError("export takes one entity") }
        guard let format = arguments.text("format"), ["jsonl", "csv", "sqlite"].contains(format)
        else { throw UsageError("--format is one of jsonl, csv and sqlite") }
        self.arguments = arguments
        self.format = format
        moment = try arguments.moment("at")
        target = arguments.text("into").map { URL(filePath: $0) }
        if format == "sqlite", target == nil { throw UsageError("--format sqlite needs --into") }
        if format == "sqlite", let entity = arguments.rest.first {
            throw UsageError("a SQLite file holds all entities; leave out \"\(entity)\"")
        }
        if format == "csv", arguments.rest.isEmpty { throw UsageError("csv needs an entity") }
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        if format == "sqlite", let target {
            try archive.writeCheckpoint(asOf: moment, to: target)
            return true
        }
        let state = try archive.snapshot(asOf: moment)
        if let entity = arguments.rest.first { try state.require(entity) }
        let lines = try format == "csv" ? csv(state) : jsonLines(state)
        let text = lines.map { $0 + "\n" }.joined()
        if let target {
            try Data(text.utf8).write(to: target, options: .withoutOverwriting)
        } else {
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        return true
    }

    private func jsonLines(_ state: Snapshot) throws -> [String] {
        let entities = arguments.rest.isEmpty ? state.entities : arguments.rest
        return try entities.flatMap { entity in
            try state.records(entity).map { record in
                let object: [String: FieldValue] = [
                    "entity": .text(entity), "id": record.id.value,
                    "record": try record.fields.value,
                ]
                return FieldValue.map(object).jsonText()
            }
        }
    }

    /// Quoted as RFC 4180 says; what is no text or number is JSON.
    private func csv(_ state: Snapshot) throws -> [String] {
        let records = try state.records(arguments.rest[0])
        let rows = try records.map { try $0.fields.dictionary }
        let columns = Set(rows.flatMap(\.keys)).sorted()
        let body = rows.map { row in columns.map { row[$0].map(cell) ?? "" } }
        return ([columns] + body).map { row in row.map(quoted).joined(separator: ",") }
    }

    /// What is a string in JSON stands without its quotes.
    private func cell(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        case .null: ""
        default: value.jsonString ?? value.jsonText()
        }
    }

    private func quoted(_ text: String) -> String {
        // Scalars, because a line's end of two scalars is one character.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
