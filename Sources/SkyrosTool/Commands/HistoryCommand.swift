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

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        let (entity, word) = (arguments.rest[0], arguments.rest[1])
        let finder = try RecordFinder(word)
        let id = try archive.withBar("searching") {
            try finder.id(of: entity, in: archive, progress: $0)
        }
        guard let id else {
            Output.error("no event contains \(entity) \(word)")
            return false
        }
        let entries = try archive.withBar("reading") {
            try archive.history(of: entity, id, progress: $0)
        }
        for entry in entries { try print(entry) }
        return true
    }

    private func print(_ entry: HistoryEntry) throws {
        if arguments.isJSON {
            Output.json(try json(entry))
            return
        }
        var head = "\(entry.sequence)  \(entry.time)  \(entry.actor ?? "-")  \(entry.kind)"
        if let reason = entry.reason { head += "  \"\(reason)\"" }
        Output.line(head)
        for change in entry.changes { Output.line("    \(change)") }
    }

    private func json(_ entry: HistoryEntry) throws -> [String: FieldValue?] {
        let before = entry.changes.compactMap { change in change.before.map { (change.field, $0) } }
        let after = entry.changes.compactMap { change in change.after.map { (change.field, $0) } }
        var object = try EventText.head(
            entry.sequence, entry.time, entry.metadata, intent: entry.intent)
        object["kind"] = .text(entry.kind.rawValue)
        if !before.isEmpty { object["before"] = .map(Dictionary(uniqueKeysWithValues: before)) }
        if !after.isEmpty { object["after"] = .map(Dictionary(uniqueKeysWithValues: after)) }
        return object
    }
}
