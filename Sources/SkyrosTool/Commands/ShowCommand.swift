import Skyros

/// `skyros show`: prints records.
struct ShowCommand: Command {
    static let name = "show"
    static let summary = "Print the records, now or at a moment of the past"
    static let usage = """
        STORE [ENTITY [ID]] [--at MOMENT [--occurred [--known MOMENT]]] [--stored] [--json]
        """
    static let details = """
        Prints all records, all records of an entity, or one record, in the order of their ids.

          --at MOMENT   the number of an event, -10 for the state before the last ten events, or a
                        time such as 2026-03-01T12:00:00Z; a date means its end
          --occurred    order events by when they happened, which imports and corrections say,
                        instead of when they were recorded; --at is a time then, and changes
                        that do not fit in that order are noted
          --known MOMENT
                        with --occurred: as it was known at that moment
          --stored      show the records in the shapes in which they are stored; otherwise the
                        steps of their evolution are applied, as far as they need no closure

        Without --at the newest state is read, from the checkpoint and the events after it.

          skyros show Orders.skyros Restaurant
          skyros show Orders.skyros Order 7 --at 48213
          skyros show Orders.skyros --at 2026-03-31 --occurred --known 2026-04-15
        """
    static let options: Set<String> = ["at", "known"]
    static let flags: Set<String> = ["stored", "occurred"]

    private let arguments: Arguments
    private let moment: MomentArgument?
    private let known: MomentArgument?
    /// The time in the order in which things happened; nil if that is not asked for.
    private let occurred: EventTime?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count <= 2 else {
            throw UsageError("show takes at most an entity and an id")
        }
        self.arguments = arguments
        moment = try arguments.moment("at")
        known = try arguments.moment("known")
        guard arguments.has("occurred") else {
            if known != nil { throw UsageError("--known is for --occurred") }
            occurred = nil
            return
        }
        guard case .time(let time) = moment else {
            throw UsageError("--occurred needs a time in --at, such as 2026-03-01")
        }
        occurred = time
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.opened(
            at: arguments.store, for: occurred == nil ? moment : known)
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.writing, 0.5))
        defer { bar.finish() }
        let state =
            try pastRecord(in: archive)
            ?? occurred.map { try archive.state(occurred: $0, knownAt: known, arguments, bar) }
            ?? archive.state(asOf: moment, arguments, bar)
        if let entity = arguments.rest.first { try archive.require(entity, in: state) }
        if arguments.rest.count == 2 {
            bar.update(.writing, 1, of: 1)
            bar.finish()
            try printRecord(arguments.rest[0], arguments.rest[1], in: state, to: output)
        } else {
            let entities = arguments.rest.first.map { [$0] } ?? state.entities
            try print(entities, in: state, bar, to: output)
        }
        return true
    }

    /// The state at a moment with the record that is to be shown, without a replay; nil if there
    /// is no such record, or more is asked for.
    private func pastRecord(in archive: Archive) throws -> Snapshot? {
        guard arguments.rest.count == 2, occurred == nil,
            let moment = try moment?.moment(in: archive)
        else { return nil }
        let ids = try RecordFinder(arguments.rest[1]).candidates
        return try archive.state(ofFirst: ids, arguments.rest[0], asOf: moment)
            .map { try Archive.shown($0, arguments) }
    }

    private func printRecord(
        _ entity: String, _ id: String, in state: Snapshot, to output: Output
    ) throws {
        guard let record = try RecordFinder(id).record(entity, in: state) else {
            throw state.unknown(id, in: [entity], "there is no \(entity) \(id)")
        }
        try print(record, to: output)
    }

    private func print(
        _ entities: [String], in state: Snapshot, _ bar: ProgressBar, to output: Output
    ) throws {
        let total = entities.reduce(0) { $0 + state.count($1) }
        if !ProgressBar.mayShowWhilePrinting { bar.finish() }
        var count = 0
        for entity in entities {
            try state.forEachRecord(entity) { record in
                try print(record, to: output)
                count += 1
                if ProgressBar.mayShowWhilePrinting { bar.update(.writing, count, of: total) }
            }
        }
    }

    private func print(_ record: Record, to output: Output) throws {
        if arguments.isJSON {
            try output.json([
                "entity": .text(record.entity), "id": record.id.value,
                "record": try record.fields.value,
            ])
        } else {
            let fields = try record.fields.value.readableText()
            try output.line("\(record.entity) \(record.id)  \(fields)")
        }
    }
}
