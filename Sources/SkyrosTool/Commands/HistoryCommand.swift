import Skyros

/// `skyros history`: the changes of one record.
struct HistoryCommand: Command {
    static let name = "history"
    static let summary = "Show all changes of a record: actor, time, reason, before and after"
    static let usage = "STORE ENTITY ID [--stored] [--json]"
    static let details = """
        Each change shows the record in its newest shape, as `skyros show` does; with --stored, as
        it was stored then, under the names that its fields had.

          skyros history Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
        """

    static let flags: Set<String> = ["stored"]

    private let arguments: Arguments
    private let question: RecordQuestion

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        question = try RecordQuestion(arguments, for: Self.name)
    }

    func run(_ output: Output) throws -> Bool {
        let entries = try question.answer { archive, entity, id, progress in
            try archive.history(of: entity, id, arguments, progress: progress)
        }
        for entry in entries ?? [] { try print(entry, to: output) }
        return entries != nil
    }

    private func print(_ entry: HistoryEntry, to output: Output) throws {
        if arguments.isJSON {
            try output.json(json(entry))
            return
        }
        let head = "\(entry.sequence)  \(entry.time)  \(entry.actor ?? "-")  \(entry.kind)"
        try output.line(head + EventText.about(entry))
        for change in try entry.changes { try output.line("    \(change)") }
    }

    private func json(_ entry: HistoryEntry) throws -> NamedValues<FieldValue?> {
        var object = try EventText.head(
            entry.sequence, entry.time, entry.metadata, intent: entry.intent)
        object["kind"] = .text(entry.kind.rawValue)
        EventText.add(try entry.changes, to: &object)
        return object
    }
}
