import Foundation
import Skyros

/// `skyros bisect`: finds the event that broke something.
struct BisectCommand: Command {
    static let name = "bisect"
    static let summary = "Find the event that broke a condition, by binary search"
    static let usage = """
        STORE ("SELECT …" | --violates "SELECT …" | --exec COMMAND) [--after N] [--to N] [--json]
        """
    static let details = """
          "SELECT …"             holds as long as the first value of its answer is neither 0 nor
                                 empty
          --violates "SELECT …"  holds as long as the answer has no rows
          --exec COMMAND         holds as long as the command, which a shell runs, exits with 0;
                                 1 to 124 mean that it does not hold, others end the search
          --after N              begin after this event, where it still holds
          --to N                 end with this event, where it does not hold any more

        The queries see the records and the log as they were after an event, as those of
        `skyros query --at`. A command gets the event's number in SKYROS_SEQUENCE, and the store in
        SKYROS_STORE; its output goes to the standard error.

        About log2(n) states of n events are examined. The exit code is 1 if it holds after the last
        event, or broke before the first.

          skyros bisect Bank.skyros --violates "SELECT id FROM Account WHERE cents < 0"
          skyros bisect Bank.skyros "SELECT sum(cents) = 0 FROM Posting" --after 1000
          skyros bisect Bank.skyros --exec "swift test --filter BalanceTests"
        """
    static let options: Set<String> = ["violates", "exec", "after", "to"]

    private enum Condition {
        case query(SQLCondition)
        /// Its exit code is 0.
        case command(String)
    }

    private let arguments: Arguments
    private let condition: Condition
    private let first: SequenceNumber?
    private let last: SequenceNumber?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        let conditions =
            SQLCondition.list(in: arguments).map { Condition.query($0) }
            + arguments.texts("exec").map { .command($0) }
        guard let condition = conditions.first, conditions.count == 1 else {
            throw UsageError("bisect needs one query, --violates or --exec")
        }
        self.condition = condition
        (first, last) = try arguments.bounds("after")
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        switch condition {
        case .query(let condition): return try search(archive, condition, output)
        case .command(let text): return try search(archive, running: text, output)
        }
    }

    private func search(
        _ archive: Archive, _ condition: SQLCondition, _ output: Output
    ) throws -> Bool {
        let bar = ProgressBar(ProgressBar.Step(.reading, 0.3), ProgressBar.Step(.searching, 0.7))
        defer { bar.finish() }
        let end = (last ?? archive.sequence).rawValue
        let queries = try StateQueries(of: archive, through: last) {
            bar.update(.reading, $0.rawValue, of: end)
        }
        try queries.check(condition.sql)
        let found = try archive.bisect(
            after: first, through: last, progress: { bar.update(.searching, $0, of: $1) }
        ) { state in
            try condition.holds(in: queries.database(of: state).database)
        }
        bar.finish()
        let place: StateSearch =
            switch found.finding {
            case .event(let event): .event(event.sequence)
            case .brokenAlready(let sequence): .brokenAlready(sequence)
            case .holds(let sequence): .holds(sequence)
            }
        return try report(place, found.stateCount, archive, output)
    }

    private func search(
        _ archive: Archive, running text: String, _ output: Output
    ) throws -> Bool {
        let command = ShellCommand(text)
        let store = arguments.store.path(percentEncoded: false)
        let found = try archive.bisect(after: first, through: last) { sequence in
            let status = try command.run(
                adding: ["SKYROS_STORE": store, "SKYROS_SEQUENCE": "\(sequence)"])
            switch status {
            case .exited(0): return true
            case .exited(1...124): return false
            case .exited, .signaled:
                throw StoreError(
                    .invalidInput,
                    "the command for the state after event \(sequence) \(status), which does not "
                        + "say whether it holds; it must exit with 0 to 124")
            }
        }
        return try report(found.found, found.stateCount, archive, output)
    }

    // MARK: What was found

    /// - Returns: whether an event was found.
    private func report(
        _ found: StateSearch, _ stateCount: Int, _ archive: Archive, _ output: Output
    ) throws -> Bool {
        switch found {
        case .event(let sequence):
            guard let event = try archive.event(sequence) else { return false }
            try report(event, stateCount, output)
            return true
        case .brokenAlready(let sequence):
            let place = sequence == .zero ? "before the first event" : "after event \(sequence)"
            try report("it does not hold \(place) already", stateCount, output)
        case .holds(let sequence):
            try report("it holds after event \(sequence), the last one", stateCount, output)
        }
        return false
    }

    private func report(_ event: Event, _ stateCount: Int, _ output: Output) throws {
        let undo = "skyros undo \(arguments.storeWord) \(event.sequence)"
        if arguments.isJSON {
            return try output.json([
                "found": .bool(true), "states": .integer(Int128(stateCount)),
                "event": .map(try EventText.json(event).compactMapValues { $0 }),
                "undo": .text(undo),
            ])
        }
        for line in try EventText.lines(event) { try output.line(line) }
        try output.line("this event broke it; \(stateCount) states were examined")
        try output.line("what undoing it would do: \(undo)")
    }

    private func report(_ sentence: String, _ stateCount: Int, _ output: Output) throws {
        if arguments.isJSON {
            return try output.json([
                "found": .bool(false), "states": .integer(Int128(stateCount)),
                "problem": .text(sentence),
            ])
        }
        try output.line("\(sentence); \(stateCount) states were examined")
    }
}
