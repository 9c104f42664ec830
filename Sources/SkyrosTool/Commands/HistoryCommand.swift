import Skyros

/// `skyros history`: the changes of one record.
struct HistoryCommand: Command {
    static let name = "history"
    static let summary = "Show all changes of a record: actor, time, reason, before and after"
    static let usage = "STORE ENTITY ID [--json]"
    static let details = """
          skyros history Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 2 else {
            throw UsageError("history needs an entity and an id")
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
        let entries = try archive.history(of: arguments.rest[0], id) {
            bar.update(.reading, $0.rawValue, of: total)
        }
        bar.finish()
        for entry in entries { try print(entry, to: output) }
        return true
    }

    private func print(_ entry: HistoryEntry, to output: Output) throws {
        if arguments.isJSON {
            try output.json(json(entry))
            return
        }
        var head = "\(entry.sequence)  \(entry.time)  \(entry.actor ?? "-")  \(entry.kind)"
        if let reason = entry.reason { head += "  \"\(reason)\"" }
        head += EventText.details(entry.metadata)
        if let intent = entry.intent { head += "  \(intent.name)" }
        try output.line(head)
        for change in entry.changes { try output.line("    \(change)") }
    }

    private func json(_ entry: HistoryEntry) throws -> NamedValues<FieldValue?> {
        let before = entry.changes.compactMap { change in change.before.map { (change.field, $0) } }
        let after = entry.changes.compactMap { change in change.after.map { (change.field, $0) } }
        var object = try EventText.head(
            entry.sequence, entry.time, entry.metadata, intent: entry.intent)
        object["kind"] = .text(entry.kind.rawValue)
        if !before.isEmpty { object["before"] = .map(NamedValues(before)) }
        if !after.isEmpty { object["after"] = .map(NamedValues(after)) }
        return object
    }
}

extension Arguments {
    /// The id of the record that an entity and a word name; nil, with an error that was printed, if
    /// there never was one.
    func record(in archive: Archive, _ bar: ProgressBar) throws -> RecordID? {
        let (entity, word) = (rest[0], rest[1])
        let total = archive.sequence.rawValue
        let id = try RecordFinder(word).id(of: entity, in: archive) {
            bar.update(.searching, $0.rawValue, of: total)
        }
        if let id { return id }
        try archive.require(entity)
        try archive.throwUnknown(word, of: entity)
        return nil
    }
}
