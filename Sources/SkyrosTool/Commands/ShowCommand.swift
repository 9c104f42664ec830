import Skyros

/// `skyros show`: prints records.
struct ShowCommand: Command {
    static let name = "show"
    static let summary = "Print the records, now or at a moment of the past"
    static let usage = "STORE [ENTITY [ID]] [--at MOMENT] [--stored] [--json]"
    static let details = """
        Prints all records, all records of an entity, or one record, in the order of their ids.

          --at MOMENT   the number of an event, -10 for the state before the last ten events, or a
                        time such as 2026-03-01T12:00:00Z; a date means its end
          --stored      show the records in the shapes in which they are stored; otherwise the
                        steps of their evolution are applied, as far as they need no closure

        Without --at the newest state is read, from the checkpoint and the events after it.

          skyros show Orders.skyros Restaurant
          skyros show Orders.skyros Order 7 --at 48213
        """
    static let options: Set<String> = ["at"]
    static let flags: Set<String> = ["stored"]

    private let arguments: Arguments
    private let moment: MomentArgument?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count <= 2 else {
            throw UsageError("show takes at most an entity and an id")
        }
        self.arguments = arguments
        moment = try arguments.moment("at")
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.opened(at: arguments.store, for: moment)
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.writing, 0.5))
        defer { bar.finish() }
        let state = try archive.state(asOf: moment, arguments, bar)
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
