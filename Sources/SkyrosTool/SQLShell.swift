import Foundation
import Skyros

/// Reads SQL statements, and prints their answers at the moment that was set.
struct SQLShell {
    static let help = """
        A statement ends with a semicolon. It sees the records, and the log in _events and _changes,
        as they are, or as they were at a moment:

          PRAGMA skyros_time = 4711;              after this event
          PRAGMA skyros_time = '5 minutes ago';   at this time, or '2026-03-01' for its end
          PRAGMA skyros_time = -10;               before the last ten events
          PRAGMA skyros_time = now;               now, with what is written meanwhile
          PRAGMA skyros_time;                     which moment it is

          .tables   the tables         .schema   the tables with their columns
          .help     this text          .quit     the end, as Control-D
        """

    private let archive: Archive
    private let printer: QueryPrinter
    private let reader = LineReader()
    /// Nil for now.
    private var moment: Moment?
    private var queries: StateQueries
    private var state: Snapshot
    /// The entities whose records in an older shape were named.
    private var warned: Set<String> = []

    /// - Throws: as `Archive.newestSnapshot(progress:)`.
    init(_ archive: Archive, _ printer: QueryPrinter) throws {
        self.archive = archive
        self.printer = printer
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.5), ProgressBar.Step(.searching, 0.5))
        defer { bar.finish() }
        state = try archive.newestSnapshot { bar.update(.reading, $0, of: $1) }
        let last = archive.sequence.rawValue
        queries = try StateQueries(of: archive) {
            bar.update(.searching, $0.rawValue, of: last)
        }
    }

    /// Reads statements to the end of the input.
    ///
    /// - Returns: false if a statement failed that no person has typed; the rest was not read then.
    /// - Throws: if nothing can be printed.
    mutating func run() throws -> Bool {
        if reader.isInteractive {
            try printer.output.line("Statements end with a semicolon; .help explains more.")
        }
        var statements = StatementReader()
        while true {
            try printer.output.flush()
            let isBetween = statements.isBetween
            guard let line = reader.next(prompt: isBetween ? "skyros> " : "   ...> ") else {
                // What lacks its semicolon is a statement too.
                return statements.rest.isEmpty ? true : try execute(statements.rest)
            }
            let command = line.trimmingCharacters(in: .whitespaces)
            if isBetween, command.hasPrefix(".") {
                reader.remember(command)
                guard command != ".quit" && command != ".exit" else { return true }
                if try !obey(command), !reader.isInteractive { return false }
                continue
            }
            let complete = statements.add(line)
            if !complete.isEmpty { reader.remember(complete.joined(separator: " ")) }
            for statement in complete where try !execute(statement) {
                if !reader.isInteractive { return false }
                break
            }
        }
    }

    // MARK: Statements

    /// Runs a statement; returns false after an error, which is printed.
    private mutating func execute(_ text: String) throws -> Bool {
        try attempt { shell in
            if let match = text.wholeMatch(of: Self.pragma) {
                if let value = match.output.1 { try shell.move(to: String(value)) }
                try shell.printMoment()
            } else {
                try shell.printer.print(text, in: shell.database())
            }
        }
    }

    private mutating func attempt(_ body: (inout SQLShell) throws -> Void) throws -> Bool {
        do {
            try body(&self)
            return true
        } catch let error as StoreError where error.code != .io && error.code != .diskFull {
            try printer.output.flush()
            ErrorOutput.error(error.description)
        } catch let error as UsageError {
            ErrorOutput.error(error.message)
        }
        return false
    }

    /// The state as a database. That of now has what was written meanwhile.
    private mutating func database() throws -> SnapshotDatabase {
        _ = try archive.refresh()
        try queries.refresh()
        if moment == nil {
            state = try archive.nearestSnapshot(asOf: .sequence(archive.sequence), from: state)
        }
        let (database, evolved) = try queries.database(of: state)
        for (entity, _) in evolved.heldBack where !warned.contains(entity) {
            warned.insert(entity)
            Archive.warn(of: evolved)
        }
        return database
    }

    // MARK: The moment

    // A regular expression is immutable.
    nonisolated(unsafe) private static let pragma =
        #/(?i)\s*PRAGMA\s+skyros_time\s*(?:=\s*(.*?)\s*)?;?\s*/#

    private mutating func move(to text: String) throws {
        let word = Self.unquoted(text)
        guard word.lowercased() != "now" else {
            moment = nil
            return
        }
        _ = try archive.refresh()
        let moment = try MomentArgument(word, for: "skyros_time").moment(in: archive)
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        state = try archive.nearestSnapshot(asOf: moment, from: state) {
            bar.update(.reading, $0, of: $1)
        }
        self.moment = moment
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count > 1, let quote = text.first, "'\"".contains(quote), text.last == quote
        else { return text }
        return String(text.dropFirst().dropLast())
    }

    private mutating func printMoment() throws {
        if moment == nil { _ = try database() }
        if printer.isJSON {
            return try printer.output.json([
                "sequence": .integer(Int128(state.sequence.rawValue)),
                "time": state.sequence > .zero ? .text(state.time.description) : nil,
                "now": .bool(moment == nil),
            ])
        }
        let place =
            state.sequence > .zero
            ? "after event \(state.sequence) of \(state.time)" : "before the first event"
        try printer.output.line(moment == nil ? "now, \(place)" : place)
    }

    // MARK: Commands that are no SQL

    /// Runs such a command; returns false after an error, which is printed.
    private mutating func obey(_ command: String) throws -> Bool {
        try attempt { shell in
            switch command {
            case ".help": try shell.printer.output.lines(Self.help)
            case ".tables":
                for name in try shell.database().tables.map(\.name) + ["_events", "_changes"] {
                    try shell.printer.output.line(name)
                }
            case ".schema":
                for (name, columns) in try shell.database().tables {
                    try shell.printer.output.line("\(name)(\(columns.joined(separator: ", ")))")
                }
            default: throw UsageError("there is no command \(command); .help lists all")
            }
        }
    }
}
