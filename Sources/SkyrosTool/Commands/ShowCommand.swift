import Skyros

/// `skyros show`: prints records.
struct ShowCommand: Command {
    static let name = "show"
    static let summary = "Print the records, now or at a moment of the past"
    static let usage = "STORE [ENTITY [ID]] [--at MOMENT] [--json]"
    static let details = """
        Prints all records, all records of an entity, or one record, in the order of their ids.

          --at MOMENT   the number of an event, or a time such as 2026-03-01T12:00:00Z

          skyros show Orders.skyros Restaurant
          skyros show Orders.skyros Order 7 --at 48213
        """
    static let options: Set<String> = ["at"]

    private let arguments: Arguments
    private let moment: Moment?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count <= 2 else {
            throw UsageError("show takes at most an entity and an id")
        }
        self.arguments = arguments
        moment = try arguments.moment("at")
    }

    func run() throws -> Bool {
        let state = try Archive(at: arguments.store).fold(asOf: moment)
        if let entity = arguments.rest.first { try state.require(entity) }
        if arguments.rest.count == 2 {
            let finder = try RecordFinder(arguments.rest[1])
            guard let record = try finder.record(arguments.rest[0], in: state) else {
                Output.error("there is no \(arguments.rest[0]) \(arguments.rest[1])")
                return false
            }
            try print(record)
            return true
        }
        let entities = arguments.rest.first.map { [$0] } ?? state.entities
        for entity in entities {
            for record in try state.records(entity) { try print(record) }
        }
        return true
    }

    private func print(_ record: Record) throws {
        if arguments.isJSON {
            Output.json([
                "entity": .text(record.entity), "id": record.id.value,
                "record": try record.fields.value,
            ])
        } else {
            Output.line("\(record.entity) \(record.id)  \(try record.fields.value.jsonText())")
        }
    }
}
