import Foundation
import Skyros

/// `skyros export`: writes the records in another format.
struct ExportCommand: Command {
    static let name = "export"
    static let summary = "Export the records as JSON lines, CSV or a SQLite file"
    static let usage = "STORE [ENTITY] --format jsonl|csv|sqlite [--at MOMENT] [--into PATH]"
    static let details = """
          --format jsonl    one JSON object per record: {"entity", "id", "record"}
          --format csv      one line per record, one column per field; needs ENTITY
          --format sqlite   a SQLite file with one table per entity; needs --into
          --at MOMENT       the number of an event, or a time such as 2026-03-01T12:00:00Z
          --into PATH       write to a new file; an existing file is never overwritten

          skyros export Orders.skyros Restaurant --format csv > restaurants.csv
          skyros export Orders.skyros --format sqlite --into orders.sqlite
        """
    static let options: Set<String> = ["format", "at", "into"]

    private let arguments: Arguments
    private let format: String
    private let moment: Moment?
    private let target: URL?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count <= 1 else { throw UsageError("export takes at most one entity") }
        guard let format = arguments.text("format"), ["jsonl", "csv", "sqlite"].contains(format)
        else { throw UsageError("--format must be jsonl, csv or sqlite") }
        self.arguments = arguments
        self.format = format
        moment = try arguments.moment("at")
        target = arguments.text("into").map { URL(filePath: $0) }
        if format == "sqlite", target == nil { throw UsageError("--format sqlite needs --into") }
        if format == "sqlite", let entity = arguments.rest.first {
            throw UsageError("a SQLite file holds all entities; leave out \"\(entity)\"")
        }
        if format == "csv", arguments.rest.isEmpty {
            throw UsageError("--format csv needs an entity")
        }
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

    /// Writes CSV as in RFC 4180; values that are neither strings nor numbers as JSON.
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

    /// The cell of a value: without quotes if JSON represents it as a string.
    private func cell(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        case .null: ""
        default: value.jsonString ?? value.jsonText()
        }
    }

    private func quoted(_ text: String) -> String {
        // Unicode scalars, because "\r\n" is a single Character.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
