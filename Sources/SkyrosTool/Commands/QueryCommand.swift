import Skyros

/// `skyros query`: runs SQL on the state at any moment.
struct QueryCommand: Command {
    static let name = "query"
    static let summary = "Run a SQL query on the records, now or at a moment of the past"
    static let usage = "STORE \"SELECT …\" [--at MOMENT] [--stored] [--json]"
    static let details = """
        There is one table per entity and one column per field; `skyros schema` lists them. The
        log is in the tables _events and _changes. Dates are texts in ISO 8601. The statement must
        be read-only. See docs/sql.md.

          --at MOMENT   the number of an event, -10 for the state before the last ten events, or a
                        time such as 2026-03-01T12:00:00Z; a date means its end
          --stored      show the records in the shapes in which they are stored; otherwise the
                        steps of their evolution are applied, as far as they need no closure

          skyros query Orders.skyros "SELECT cuisine, count(*) FROM Restaurant GROUP BY 1"
          skyros query Orders.skyros "SELECT actor, count(*) FROM _events GROUP BY actor"
        """
    static let options: Set<String> = ["at"]
    static let flags: Set<String> = ["stored"]

    private let arguments: Arguments
    private let moment: MomentArgument?

    init(_ arguments: Arguments) throws {
        guard arguments.rest.count == 1 else {
            throw UsageError("query needs one statement, in quotes")
        }
        self.arguments = arguments
        moment = try arguments.moment("at")
    }

    func run(_ output: Output) throws -> Bool {
        let printer = QueryPrinter(output: output, isJSON: arguments.isJSON)
        try printer.print(arguments.rest[0], in: database())
        return true
    }

    private func database() throws -> SnapshotDatabase {
        let archive = try Archive.opened(at: arguments.store, for: moment)
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        let (database, evolved) = try archive.database(
            asOf: moment?.moment(in: archive), isEvolving: !arguments.has("stored")
        ) { bar.update(.reading, $0, of: $1) }
        bar.finish()
        Archive.warn(of: evolved)
        return database
    }
}
