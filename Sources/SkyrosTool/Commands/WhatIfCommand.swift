import Skyros

/// `skyros what-if`: what the records would be without some events.
struct WhatIfCommand: Command {
    static let name = "what-if"
    static let summary = "Show what the records would be if events had not happened"
    static let usage = """
        STORE [--skip EVENT|FROM-TO] [--skip-actor A] [--skip-correlation C] [--to N] \
        [--entity E] [--json]
        """
    static let details = """
          --skip EVENT, --skip FROM-TO  leave out these events; may be given more than once
          --skip-actor A                leave out the events of this actor; may be repeated
          --skip-correlation C          leave out the events with this correlation; may be repeated
          --to N                        end with this event
          --entity E                    only the records of this entity

        All other events are applied as the log has them: a field that an event set gets that value
        also where it had another one before. Those that do not fit are listed after the records
        that differ, whose fields have the value that they have and then the other one. Unique
        indexes and relations that the app has declared are kept. Nothing is written.

        `skyros undo` takes events back in the store, and asks about what later events have changed.

          skyros what-if Bank.skyros --skip 4711
          skyros what-if Bank.skyros --skip-actor mallory --entity Account
        """
    static let options: Set<String> = ["skip", "skip-actor", "skip-correlation", "to", "entity"]
    static let repeatable: Set<String> = ["skip", "skip-actor", "skip-correlation"]

    private let arguments: Arguments
    private let ranges: [ClosedRange<SequenceNumber>]
    private let last: SequenceNumber?

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        ranges = try arguments.texts("skip").map { word in
            guard let range = ClosedRange(events: word) else {
                throw UsageError(
                    "--skip takes the number of an event, or FROM-TO, not \"\(word)\"")
            }
            return range
        }
        last = try arguments.sequence("to")
        guard Self.repeatable.contains(where: { !arguments.texts($0).isEmpty }) else {
            throw UsageError("what-if needs --skip, --skip-actor or --skip-correlation")
        }
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive.reading(asOf: last.map { .sequence($0) }, at: arguments.store)
        if last == nil { archive.warnOfLostEvents() }
        let end = last ?? archive.sequence
        if let entity = arguments.text("entity") { try archive.require(entity) }
        let skipped = try skipped(in: archive, through: end)
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        let outcome = try WhatIf(in: archive).skipping(skipped).run(through: last) {
            bar.update(.reading, $0.rawValue, of: end.rawValue)
        }
        let differences = outcome.differences(in: arguments.text("entity"))
        bar.finish()
        for difference in differences {
            if arguments.isJSON {
                try output.json(EventText.json(difference))
            } else {
                for line in try EventText.lines(difference) { try output.line(line) }
            }
        }
        try report(outcome, skipped.count, differences.count, output)
        return true
    }

    /// The events to leave out.
    private func skipped(
        in archive: Archive, through last: SequenceNumber
    ) throws -> Set<SequenceNumber> {
        var skipped: Set<SequenceNumber> = []
        for range in ranges {
            guard archive.firstSequence <= range.lowerBound, range.upperBound <= last else {
                throw StoreError(
                    .noSuchEvent,
                    "--skip \(range.lowerBound)-\(range.upperBound): the events are "
                        + "\(archive.firstSequence) to \(last)",
                    at: StoreError.Place(sequences: range))
            }
            for number in range.lowerBound.rawValue...range.upperBound.rawValue {
                skipped.insert(SequenceNumber(rawValue: number))
            }
        }
        let filters =
            arguments.texts("skip-actor").map { EventFilter(actor: $0) }
            + arguments.texts("skip-correlation").map { EventFilter(correlation: $0) }
        for filter in filters {
            try archive.events(...last, where: filter).forEach { skipped.insert($0.sequence) }
        }
        return skipped
    }

    private func report(
        _ outcome: WhatIfOutcome, _ skippedCount: Int, _ differenceCount: Int, _ output: Output
    ) throws {
        let texts = outcome.problems.map(\.description)
        if arguments.isJSON {
            return try output.json([
                "sequence": .integer(Int128(outcome.actual.sequence.rawValue)),
                "skipped": .integer(Int128(skippedCount)),
                "differences": .integer(Int128(differenceCount)),
                "problemCount": .integer(Int128(outcome.problemCount)),
                "problems": .array(texts.map { .text($0) }),
            ])
        }
        for text in texts { try output.line("! \(text)") }
        if outcome.problemCount > texts.count {
            try output.line("! and \(outcome.problemCount - texts.count) further events do not fit")
        }
        try output.line(
            "without \(skippedCount) events, \(differenceCount) records would differ after event "
                + "\(outcome.actual.sequence); \(outcome.problemCount) other events do not fit")
    }
}
