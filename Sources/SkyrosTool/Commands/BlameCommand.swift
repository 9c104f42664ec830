import Skyros

/// `skyros blame`: which event gave each field of a record its value.
struct BlameCommand: Command {
    static let name = "blame"
    static let summary = "Show which event gave each field of a record its value"
    static let usage = "STORE ENTITY ID [--stored] [--json]"
    static let details = """
        Of a deleted record it shows the fields that it had last. A field that was renamed keeps the
        event that gave it its value; with --stored, it has the event that stored it under its name.

          skyros blame Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
        """

    static let flags: Set<String> = ["stored"]

    private let arguments: Arguments
    private let question: RecordQuestion

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        question = try RecordQuestion(arguments, for: Self.name)
    }

    func run(_ output: Output) throws -> Bool {
        let origins = try question.answer { archive, entity, id, progress in
            try FieldOrigin.list(
                of: archive.history(of: entity, id, arguments, progress: progress))
        }
        guard let origins else { return false }
        if arguments.isJSON {
            for origin in origins { try output.json(json(origin)) }
        } else {
            try output.table(origins.map(row))
        }
        return true
    }

    private func row(_ origin: FieldOrigin) -> [String] {
        let entry = origin.entry
        return [
            origin.field, origin.value.readableText(), "\(entry.sequence)", "\(entry.time)",
            entry.actor ?? "-", String(EventText.about(entry).trimmingPrefix("  ")),
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
