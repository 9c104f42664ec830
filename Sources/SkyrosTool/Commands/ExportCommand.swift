import Foundation
import Skyros

/// `skyros export`: writes the records in another format.
struct ExportCommand: Command {
    static let name = "export"
    static let summary = "Export the records as JSON lines, CSV or a SQLite file"
    static let usage =
        "STORE [ENTITY] --format jsonl|csv|sqlite [--at MOMENT] [--into PATH] [--raw] [--stored]"
    static let details = """
          --format jsonl    one JSON object per record: {"entity", "id", "record"}
          --format csv      one line per record, one column per field; needs ENTITY
          --format sqlite   a SQLite file with one table per entity; needs --into
          --at MOMENT       the number of an event, -10 for the state before the last ten events, or
                            a time such as 2026-03-01T12:00:00Z; a date means its end
          --into PATH       write to a new file; an existing file is never overwritten
          --raw             in CSV, do not put an apostrophe before a text that a spreadsheet would
                            run as a formula (it begins with =, +, - or @)

          --stored          show the records in the shapes in which they are stored; otherwise the
                            steps of their evolution are applied, as far as they need no closure

        In CSV a missing value is an empty cell, and an empty text is "". A file appears when it is
        complete; only you may read it.

          skyros export Orders.skyros Restaurant --format csv > restaurants.csv
          skyros export Orders.skyros --format sqlite --into orders.sqlite
        """
    static let options: Set<String> = ["format", "at", "into"]
    static let flags: Set<String> = ["raw", "stored"]

    private let arguments: Arguments
    private let format: String
    private let moment: MomentArgument?
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
        if format != "csv", arguments.has("raw") { throw UsageError("--raw is for --format csv") }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.opened(at: arguments.store, for: moment)
        switch (format, target) {
        case ("sqlite", let target?):
            let moment = try moment?.moment(in: archive)
            let bar = ProgressBar(ProgressBar.Step(.reading, 0.7), ProgressBar.Step(.writing, 0.3))
            defer { bar.finish() }
            _ = try archive.withCheckpointBar(bar, through: moment) { progress in
                try archive.writeNewCheckpoint(asOf: moment, to: target, progress: progress)
            }
        case (_, let target?):
            try NewFile.writeText(at: target) { try write(archive, to: $0, showsBar: true) }
        default:
            try output.withSink {
                try write(archive, to: $0, showsBar: ProgressBar.mayShowWhilePrinting)
            }
        }
        return true
    }

    private func write(_ archive: Archive, to sink: TextSink, showsBar: Bool) throws {
        let isCSV = format == "csv"
        let bar =
            isCSV
            ? ProgressBar(
                ProgressBar.Step(.reading, 0.4), ProgressBar.Step(.searching, 0.2),
                ProgressBar.Step(.writing, 0.4))
            : ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.writing, 0.5))
        defer { bar.finish() }
        let state = try archive.state(asOf: moment, arguments, bar)
        if let entity = arguments.rest.first { try archive.require(entity, in: state) }
        let entities = arguments.rest.isEmpty ? state.entities : arguments.rest
        let total = entities.reduce(0) { $0 + state.count($1) }
        if !showsBar { bar.finish() }
        var count = 0
        func didWriteRecord() {
            count += 1
            if showsBar { bar.update(.writing, count, of: total) }
        }
        if isCSV {
            let columns = try columns(of: entities[0], in: state) {
                if showsBar { bar.update(.searching, $0, of: total) }
            }
            try writeCSV(of: entities[0], columns, in: state, to: sink, didWriteRecord)
        } else {
            for entity in entities {
                try writeJSONLines(of: entity, in: state, to: sink, didWriteRecord)
            }
        }
    }

    private func writeJSONLines(
        of entity: String, in state: Snapshot, to sink: TextSink, _ didWriteRecord: () -> Void
    ) throws {
        try state.forEachRecord(entity) { record in
            let object: NamedValues<FieldValue> = [
                "entity": .text(entity), "id": record.id.value,
                "record": try record.fields.value,
            ]
            try sink.line(FieldValue.map(object).jsonText())
            didWriteRecord()
        }
    }

    /// The names of all fields, sorted.
    private func columns(
        of entity: String, in state: Snapshot, _ progress: (Int) -> Void
    ) throws -> [String] {
        var names = NamedValues<Void>()
        var count = 0
        try state.forEachRecord(entity) { record in
            for name in record.fields.names { names[name] = () }
            count += 1
            progress(count)
        }
        return names.keys.sortedNames()
    }

    private func writeCSV(
        of entity: String, _ columns: [String], in state: Snapshot, to sink: TextSink,
        _ didWriteRecord: () -> Void
    ) throws {
        let writer = CSVWriter(keepsFormulas: arguments.has("raw"))
        try sink.line(writer.line(columns))
        try state.forEachRecord(entity) { record in
            let fields = try record.fields.values
            try sink.line(writer.line(columns.map { fields[$0] }))
            didWriteRecord()
        }
    }
}
