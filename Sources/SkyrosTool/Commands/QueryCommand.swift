import Skyros

/// `skyros query`: runs SQL on the state at any moment.
struct QueryCommand: Command {
    static let name = "query"
    static let summary = "Run a SQL query on the records, now or at a moment of the past"
    static let usage = "STORE \"SELECT …\" [--at MOMENT] [--json]"
    static let details = """
        There is one table per entity and one column per field; see docs/checkpoint-format.md. The
        statement must be read-only.

          --at MOMENT   the number of an event, or a time such as 2026-03-01T12:00:00Z

          skyros query Orders.skyros "SELECT cuisine, count(*) FROM Restaurant GROUP BY 1"
        """
    static let options: Set<String> = ["at"]

    private let arguments: Arguments
    private let moment: Moment?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 1 else {
            throw UsageError("query needs one statement, in quotes")
        }
        self.arguments = arguments
        moment = try arguments.moment("at")
    }

    func run() throws -> Bool {
        let state = try Archive(at: arguments.store).fold(asOf: moment)
        let result = try state.query(arguments.rest[0])
        if arguments.isJSON {
            for row in result.rows {
                let pairs = zip(result.columns, row).map { ($0, Optional($1)) }
                Output.json(Dictionary(pairs) { first, _ in first })
            }
        } else {
            Output.table([result.columns] + result.rows.map { $0.map(cell) })
        }
        return true
    }

    private func cell(_ value: FieldValue) -> String {
        if case .text(let text) = value { return text }
        return value == .null ? "" : value.jsonText()
    }
}
