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
          --into PATH       a new file instead of the output; one that exists is left alone

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
        switch (format, target) {
        case ("sqlite", let target?):
            try archive.withBar("reading", through: moment) { progress in
                _ = try archive.writeCheckpoint(asOf: moment, to: target, progress: progress)
            }
        case (_, let target?):
            try TextSink.withNewFile(at: target) { try write(archive, to: $0) }
        default:
            try TextSink.withOutput { try write(archive, to: $0) }
        }
        return true
    }

    private func write(_ archive: Archive, to sink: TextSink) throws {
        let state = try archive.fold(asOf: moment)
        if let entity = arguments.rest.first { try state.require(entity) }
        if format == "csv" {
            try writeCSV(of: arguments.rest[0], in: state, to: sink)
        } else {
            let entities = arguments.rest.isEmpty ? state.entities : arguments.rest
            for entity in entities { try writeJSONLines(of: entity, in: state, to: sink) }
        }
    }

    private func writeJSONLines(
        of entity: String, in state: Snapshot, to sink: TextSink
    ) throws {
        for record in try state.records(entity) {
            let object: [String: FieldValue] = [
                "entity": .text(entity), "id": record.id.value,
                "record": try record.fields.value,
            ]
            try sink.line(FieldValue.map(object).jsonText())
        }
    }

    /// Quoted as RFC 4180 says; what is no text or number is JSON.
    private func writeCSV(of entity: String, in state: Snapshot, to sink: TextSink) throws {
        let records = try state.records(entity)
        var names: Set<String> = []
        for record in records { names.formUnion(try record.fields.dictionary.keys) }
        let columns = names.sorted()
        try sink.line(columns.map(quoted).joined(separator: ","))
        for record in records {
            let fields = try record.fields.dictionary
            let cells = columns.map { quoted(fields[$0].map(cell) ?? "") }
            try sink.line(cells.joined(separator: ","))
        }
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
