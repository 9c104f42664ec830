import Skyros

/// `skyros blame`: which event gave each field of a record its value.
struct BlameCommand: Command {
    static let name = "blame"
    static let summary = "Show which event gave each field of a record its value"
    static let usage = "STORE ENTITY ID [--json]"
    static let details = """
        Of a deleted record it shows the fields that it had last.

          skyros blame Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 2 else {
            throw UsageError("blame needs an entity and an id")
        }
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        archive.warnOfLostEvents()
        let bar = ProgressBar(ProgressBar.Step(.searching, 0.5), ProgressBar.Step(.reading, 0.5))
        defer { bar.finish() }
        guard let id = try arguments.record(in: archive, bar) else { return false }
        let total = archive.sequence.rawValue
        let origins = try archive.blame(of: arguments.rest[0], id) {
            bar.update(.reading, $0.rawValue, of: total)
        }
        bar.finish()
        if arguments.isJSON {
            for origin in origins { try output.json(json(origin)) }
        } else {
            try output.table(origins.map(row))
        }
        return true
    }

    private func row(_ origin: FieldOrigin) -> [String] {
        let entry = origin.entry
        var about = entry.reason.map { "\"\($0)\"" } ?? ""
        about += EventText.details(entry.metadata)
        if let intent = entry.intent { about += "  \(intent.name)" }
        return [
            origin.field, origin.value.readableText(), "\(entry.sequence)", "\(entry.time)",
            entry.actor ?? "-", about,
        ]
    }

    private func json(_ origin: FieldOrigin) throws -> NamedValues<FieldValue?> {
        let entry = origin.entry
        var object = try EventText.head(
            entry.sequence, entry.time, entry.metadata, intent: entry.intent)
        object["field"] = .text(origin.field)
        object["value"] = origin.value
        return object
    }
}
