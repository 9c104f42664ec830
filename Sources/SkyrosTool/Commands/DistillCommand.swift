import Foundation
import Skyros

/// `skyros distill`: from a log to a failing test.
struct DistillCommand: Command {
    static let name = "distill"
    static let summary = "Write a test with the smallest history that breaks a condition"
    static let usage = """
        STORE ("SELECT …" | --violates "SELECT …") --into DIRECTORY [--import MODULE] \
        [--scrub ENTITY.FIELD,…] [--keep ENTITY,…] [--after N] [--to N] [--json]
        """
    static let details = """
          "SELECT …"             holds as long as the first value of its answer is neither 0 nor
                                 empty
          --violates "SELECT …"  holds as long as the answer has no rows
          --into DIRECTORY       what is written: nothing, or an empty directory
          --import MODULE        the module with the types of the entities and of the command
          --scrub FIELDS         replace the values of these fields by pseudonyms, see
                                 `skyros help fixture`. May be given more than once
          --keep ENTITIES        keep all records of these entities. May be given more than once
          --after N              begin after this event, where it still holds
          --to N                 end with this event, where it does not hold any more

        It finds the event that broke the condition, as `skyros bisect`, and leaves out all records
        without which the event breaks it, too. DIRECTORY gets a store with the others and the
        event, history.skyros, and a test for Swift Testing, which names the event. With --import
        the test executes the command of the event again: it fails until the command is mended.
        Records that the command may read are kept: those that it names by their ids, and those
        that the changed records name. Name entities with --keep if it needs others.

        The query sees the records only. The exit code is 1 if it holds after the last event, or
        broke before the first.

          skyros distill Bank.skyros --violates "SELECT id FROM Account WHERE cents < 0" \\
            --import Bank --scrub Account.owner --into Tests/BankTests/bug17
        """
    static let options: Set<String> = [
        "violates", "into", "import", "scrub", "keep", "after", "to",
    ]
    static let repeatable: Set<String> = ["scrub", "keep"]

    private let arguments: Arguments
    private let condition: SQLCondition
    private let target: URL
    private let scrubbing: Scrubbing
    private let first: SequenceNumber?
    private let last: SequenceNumber?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        let conditions = SQLCondition.list(in: arguments)
        guard let condition = conditions.first, conditions.count == 1 else {
            throw UsageError("distill needs one query, or --violates")
        }
        self.condition = condition
        guard let path = arguments.text("into"), !path.isEmpty else {
            throw UsageError("distill needs --into with the directory of the test")
        }
        target = URL(filePath: path)
        scrubbing = try FixtureCommand.scrubbing(arguments)
        (first, last) = try arguments.bounds("after")
        if let module = arguments.text("import"), !DistilledTest.isIdentifier(module) {
            throw UsageError("--import takes the name of a module, not \"\(module)\"")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        let entities = arguments.lists("keep")
        for entity in entities { try archive.require(entity) }
        let bar = ProgressBar(
            ProgressBar.Step(.reading, 0.2), ProgressBar.Step(.searching, 0.7),
            ProgressBar.Step(.writing, 0.1))
        defer { bar.finish() }
        let end = (last ?? archive.sequence).rawValue
        let queries = try StateQueries(of: archive, through: last) {
            bar.update(.reading, $0.rawValue, of: end)
        }
        try queries.check(condition.sql, withLog: false)
        func holds(_ state: Snapshot) throws -> Bool {
            try condition.holds(in: queries.database(of: state, withLog: false).database)
        }
        let found = try archive.bisect(
            after: first, through: last, progress: { bar.update(.searching, $0, of: $1) }, holds)
        guard let event = found.event else {
            bar.finish()
            try reportNothing(found, output)
            return false
        }
        let name = target.lastPathComponent
        let (history, path) = try NewFile.writeDirectory(at: target) { directory in
            let store = directory.appending(path: DistilledTest.storeName)
            let history = try archive.distill(
                event.sequence, into: store, keeping: entities, scrubbing: scrubbing,
                mentioning: [condition.sql, name, DistilledTest.title(named: name)], holds)
            let test = try DistilledTest(
                of: history, in: store, named: name,
                from: scrubbing == .none ? arguments.storeName : nil,
                archive.tables().map(\.entity),
                condition, arguments.text("import"))
            try NewFile.writeText(at: directory.appending(path: test.fileName)) {
                try $0.line(test.text)
            }
            return (history, test.fileName)
        }
        bar.finish()
        try report(history, found.stateCount, path, output)
        return true
    }

    // MARK: What was found

    private func reportNothing(_ found: Bisection, _ output: Output) throws {
        let sentence =
            switch found.finding {
            case .brokenAlready(.zero): "it does not hold before the first event already"
            case .brokenAlready(let sequence): "it does not hold after event \(sequence) already"
            case .event(let event): "event \(event.sequence) broke it"
            case .holds(let sequence): "it holds after event \(sequence), the last one"
            }
        if arguments.isJSON {
            return try output.json(["found": .bool(false), "problem": .text(sentence)])
        }
        try output.line("\(sentence); nothing was written")
    }

    private func report(
        _ history: DistilledHistory, _ stateCount: Int, _ test: String, _ output: Output
    ) throws {
        let event = history.event
        if arguments.isJSON {
            return try output.json([
                "found": .bool(true), "states": .integer(Int128(stateCount)),
                "event": .map(try EventText.json(event).compactMapValues { $0 }),
                "records": .integer(Int128(history.recordCount)),
                "originalRecords": .integer(Int128(history.originalRecordCount)),
                "histories": .integer(Int128(history.candidateCount)),
                "events": .integer(Int128(history.fixture.sequence.rawValue)),
                "test": .text(test),
            ])
        }
        for line in try EventText.lines(event) { try output.line(line) }
        try output.line("this event broke it; \(stateCount) states were examined")
        try output.line(
            "\(history.recordCount) of \(history.originalRecordCount) records are enough "
                + "(histories tried: \(history.candidateCount))")
        try output.line("the test is \(target.appending(path: test).path(percentEncoded: false))")
        if arguments.text("import") != nil {
            try output.line(
                "run it now: if it does not fail, the command needs other records; see --keep")
        }
    }
}
