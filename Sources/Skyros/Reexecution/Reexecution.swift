/// What executing the commands of a log again has shown: which of them do something else today.
///
///     let found = try archive.reexecute([Transfer.self, OpenAccount.self])
///     print(found)        // 3 of 2100000 commands do something else today. …
public struct Reexecution: Sendable {
    /// The number of commands that were executed.
    public internal(set) var commandCount = 0
    /// The number of those that do something else than they did.
    public internal(set) var differenceCount = 0
    /// The first of those, in the order of the log.
    public internal(set) var differences: [Difference] = []
    /// How many commands of names without a given type were passed over.
    public internal(set) var unknownCommands = NamedValues<Int>()
    /// How many of the commands that do something else did not do the same twice either: they use
    /// a clock, randomness or another input that the store does not record.
    public internal(set) var nondeterministicCommands = NamedValues<Int>()

    /// A command that does something else today than it did.
    public struct Difference: Sendable {
        /// The event that it has made, with the command as its intent.
        public let event: Event
        /// The records that it changes in another way: `before` is what the event made of a record,
        /// `after` what the command makes of it today, both as today's type would write them.
        public internal(set) var records: [RecordDifference] = []
        /// What it returned then and today; nil if that is the same.
        public internal(set) var output: FieldChange?
        /// What it throws today; a `StoreError` with `.notDecodable` if the command does not fit
        /// its type any more.
        public internal(set) var error: (any Error)?
        /// Whether it did the same each time it was executed on the same state.
        public internal(set) var isDeterministic = true
    }
}

extension Reexecution: CustomStringConvertible {
    /// A summary, and the first difference field by field.
    public var description: String {
        var lines = [summary]
        if let first = differences.first { lines.append("The first:\n\(first)") }
        for (title, counts) in [
            ("Not deterministic", nondeterministicCommands),
            ("Passed over, as no type was given", unknownCommands),
        ] where !counts.isEmpty {
            let names = counts.map { "\($0.key) (\($0.value))" }.sorted()
            lines.append("\(title): \(names.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        switch differenceCount {
        case 0: "All \(commandCount) commands do today what they did."
        default:
            "\(differenceCount) of \(commandCount) commands do something else today."
        }
    }
}

extension Reexecution.Difference: CustomStringConvertible {
    /// The event, and each field that differs.
    public var description: String {
        let reason = event.metadata.reason.map { ", \"\($0)\"" } ?? ""
        let command = event.intent.map { intent in
            let value = (try? intent.value)?.readableText() ?? ""
            return "\(intent.name) \(value)"
        }
        let head =
            "event \(event.sequence) of \(event.time) by \(event.metadata.actor ?? "-")\(reason): "
            + (command ?? "")
        return ([head] + effects).joined(separator: "\n")
    }

    /// What it does today that it did not, or did otherwise, in lines.
    package var effects: [String] {
        var lines: [String] = []
        if let error { lines.append("  throws today: \(error)") }
        for record in records { lines += Self.lines(record) }
        if let output { lines.append("  \(output)") }
        if !isDeterministic { lines.append("  It does not do the same twice.") }
        return lines
    }

    private static func lines(_ record: RecordDifference) -> [String] {
        let note =
            switch record.kind {
            case .inserted: " is written today, and was not"
            case .deleted: " is not there today, and was"
            case .updated: ""
            }
        let head = "  \(record.entity) \(record.id)\(note)"
        guard let changes = try? record.changes else { return [head] }
        return [head] + changes.map { "    \($0)" }
    }
}
