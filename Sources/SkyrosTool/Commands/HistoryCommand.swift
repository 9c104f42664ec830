import Skyros

/// `skyros history`: the changes of one record.
struct HistoryCommand: Command {
    static let name = "history"
    static let summary = "Show all changes of a record: actor, time, reason, before and after"
    static let usage = """
        STORE ENTITY ID [--since T] [--until T] [--limit N] [--occurred] [--reverse] [--stored] \
        [--json]
        """
    static let details = """
        Each change shows the record in its newest shape, as `skyros show` does; with --stored, as
        it was stored then, under the names that its fields had.

          --since T, --until T  only changes in this range of times; a date means its start in
                                --since and its end in --until
          --limit N             at most N changes
          --occurred            order changes by when they happened, which imports and corrections
                                say; --since and --until mean that time then
          --reverse             the newest change first

          skyros history Orders.skyros Restaurant e9ea8043-86f8-c572-2db4-cff9a264c3a5
          skyros history Orders.skyros Order 4711 --occurred --until 2026-03-31
        """

    static let options: Set<String> = ["since", "until", "limit"]
    static let flags: Set<String> = ["occurred", "reverse", "stored"]

    private let arguments: Arguments
    private let question: RecordQuestion
    private let since: EventTime?
    private let until: EventTime?
    private let limit: UInt64

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        question = try RecordQuestion(arguments, for: Self.name)
        since = try arguments.time("since")?.first
        until = try arguments.time("until")?.last
        limit = try arguments.number("limit", "a number of changes") ?? .max
    }

    func run(_ output: Output) throws -> Bool {
        let entries = try question.answer { archive, entity, id, progress in
            try archive.history(of: entity, id, arguments, progress: progress)
        }
        for entry in listed(entries ?? []) { try print(entry, to: output) }
        return entries != nil
    }

    private func listed(_ entries: [HistoryEntry]) -> some Sequence<HistoryEntry> {
        func time(_ entry: HistoryEntry) -> EventTime {
            arguments.has("occurred") ? entry.happenedAt : entry.time
        }
        var list = entries.filter { entry in
            since.map { time(entry) >= $0 } ?? true && until.map { time(entry) <= $0 } ?? true
        }
        if arguments.has("occurred") {
            // One event may change the record twice.
            let order = list.indices.sorted { (time(list[$0]), $0) < (time(list[$1]), $1) }
            list = order.map { list[$0] }
        }
        if arguments.has("reverse") { list.reverse() }
        return list.prefix(Int(clamping: limit))
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
