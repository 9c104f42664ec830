import Skyros

/// `skyros history`: a record's life.
struct HistoryCommand: Command {
    static let name = "history"
    static let summary = "A record's life: who changed it, when, why, before and after"
    static let usage = "STORE ENTITY ID [--json]"
    static let details = """
          skyros history Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
        """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 2 else { throw UsageError("name an entity and an id") }
        self.arguments = arguments
    }

    func run() throws -> Bool {
        let archive = try Archive(at: arguments.store)
        for id in try RecordFinder(arguments.rest[1]).candidates {
            let entries = try archive.history(of: arguments.rest[0], id)
            guard !entries.isEmpty else { continue }
            for entry in entries { try print(entry) }
            return true
        }
        Output.error("there never was a \(arguments.rest[0]) \(arguments.rest[1])")
        return false
    }

    private func print(_ entry: HistoryEntry) throws {
        if arguments.isJSON {
            Output.json(json(entry))
            return
        }
        var head = "\(entry.sequence)  \(entry.time)  \(entry.actor ?? "-")  \(entry.kind)"
        if let reason = entry.reason { head += "  \"\(reason)\"" }
        Output.line(head)
        for change in entry.changes { Output.line("    \(change)") }
    }

    private func json(_ entry: HistoryEntry) -> [String: FieldValue?] {
        let before = entry.changes.compactMap { change in change.before.map { (change.field, $0) } }
        let after = entry.changes.compactMap { change in change.after.map { (change.field, $0) } }
        let metadata = entry.metadata
        return [
            "sequence": .integer(Int128(entry.sequence.rawValue)),
            "time": .text(entry.time.description),
            "actor": metadata.actor.map { .text($0) },
            "reason": metadata.reason.map { .text($0) },
            "correlation": metadata.correlation.map { .text($0) },
            "causation": metadata.causation.map { .text($0) },
            "tags": metadata.tags.isEmpty ? nil : .map(metadata.tags.mapValues { .text($0) }),
            "kind": .text(entry.kind.rawValue),
            "before": before.isEmpty ? nil : .map(Dictionary(uniqueKeysWithValues: before)),
            "after": after.isEmpty ? nil : .map(Dictionary(uniqueKeysWithValues: after)),
        ]
    }
}
