import Skyros

/// `skyros sql`: a shell for queries at any moment.
struct SQLCommand: Command {
    static let name = "sql"
    static let summary = "Read SQL queries from the terminal or a file, and run each at any moment"
    static let usage = "STORE [--json]"
    static let details =
        SQLShell.help + """


            Statements from a file or a pipe end with the first error, and the exit code is 1.
            Nothing is written: a statement must only read. See docs/sql.md.

              skyros sql Orders.skyros
              skyros sql Orders.skyros --json < questions.sql
            """

    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        archive.warnOfLostEvents()
        let printer = QueryPrinter(output: output, isJSON: arguments.isJSON)
        var shell = try SQLShell(archive, printer)
        return try shell.run()
    }
}
