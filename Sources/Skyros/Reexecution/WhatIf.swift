/// Another course of a store's history, made beside it: what if an event had not happened, if a
/// command had said something else, or if one more had been performed?
///
///     let outcome = try WhatIf(in: archive, commands: [Transfer.self])
///         .skipping(4_711)
///         .editing(4_720, as: Transfer.self) { $0.cents = 500 }
///         .run()
///     print(outcome)      // 2 records differ. …
///
/// The events before the first edit are those of the log. After it, a command of a given type is
/// executed again, by today's code, on the other state. All else is applied as the log has it: a
/// field that an event set gets that value also where it had another one before, and that is listed
/// in ``WhatIfOutcome/problems``. Nothing is written to the store.
///
/// Where today's code differs from that of the log, compare with a course without edits:
///
///     let baseline = try WhatIf(in: archive, commands: commands).starting(after: 4_710).run()
///     let differences = outcome.state.differences(from: baseline.state)
public struct WhatIf: Sendable {
    typealias Block = @Sendable (inout WriteTransaction) throws -> Void

    /// The edits of one command.
    struct Edits: Sendable {
        /// Makes the command, and applies the edits.
        let command: @Sendable (Intent) throws -> any Command

        func run(_ intent: Intent, _ transaction: inout WriteTransaction) throws {
            try perform(command(intent), &transaction)
        }

        private func perform(
            _ command: some Command, _ transaction: inout WriteTransaction
        ) throws {
            _ = try transaction.perform(command)
        }
    }

    /// An edit that does not fit its event, which ends the run.
    struct MisplacedEdit: Error {
        let cause: StoreError
    }

    static func misplaced(_ text: String, _ sequence: SequenceNumber) -> StoreError {
        StoreError(.invalidInput, text, at: StoreError.Place(sequences: sequence...sequence))
    }

    let archive: Archive
    let commands: [any Command.Type]
    private(set) var skipped: Set<SequenceNumber> = []
    private(set) var edits: [SequenceNumber: Edits] = [:]
    private(set) var insertions: [SequenceNumber: [Block]] = [:]
    private(set) var problemsMax = 100
    private(set) var first: SequenceNumber?

    /// Creates a course that is that of the log.
    ///
    /// - Parameters:
    ///   - archive: the store. Commands need its types: `Archive(at:entities:)`.
    ///   - commands: the types of the commands that are executed again.
    public init(in archive: Archive, commands: [any Command.Type] = []) {
        self.archive = archive
        self.commands = commands
    }

    /// Leaves out these events.
    public func skipping(_ sequences: SequenceNumber...) -> WhatIf { skipping(sequences) }

    /// Leaves out these events.
    public func skipping(_ sequences: some Sequence<SequenceNumber>) -> WhatIf {
        copy { $0.skipped.formUnion(sequences) }
    }

    /// Executes the command of an event with other properties. Several edits of one event are made
    /// one after the other.
    ///
    /// - Parameters:
    ///   - sequence: the event, whose intent is such a command.
    ///   - type: the type of the command, which need not be among those of the initializer.
    ///   - edit: changes the command.
    public func editing<C: Command>(
        _ sequence: SequenceNumber, as type: C.Type,
        _ edit: @escaping @Sendable (inout C) throws -> Void
    ) -> WhatIf {
        copy { course in
            let former = course.edits[sequence]
            course.edits[sequence] = Edits { intent in
                let present = try former?.command(intent)
                guard intent.name.isSameName(as: C.commandName), present is C? else {
                    let text = "event \(sequence) has the command \(intent.name), not \(C.self)"
                    throw MisplacedEdit(cause: Self.misplaced(text, sequence))
                }
                var command = try present as? C ?? C.command(from: intent)
                try edit(&command)
                return command
            }
        }
    }

    /// Performs a command after an event, and before the next one.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - sequence: the event; 0 for a command before all events.
    public func inserting(
        _ command: some Command, after sequence: SequenceNumber
    ) -> WhatIf {
        inserting(after: sequence) { _ = try $0.perform(command) }
    }

    /// Runs a write block after an event, and before the next one.
    public func inserting(
        after sequence: SequenceNumber,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) -> WhatIf {
        copy { $0.insertions[sequence, default: []].append(block) }
    }

    /// Begins after this event, also if the first edit is later: commands from here on are executed
    /// again. Without edits that shows what today's code makes of the history.
    public func starting(after first: SequenceNumber) -> WhatIf {
        copy { $0.first = first }
    }

    /// Lists this number of problems at most; all are counted. Default: 100.
    public func listing(problems count: Int) -> WhatIf {
        copy { $0.problemsMax = max(0, count) }
    }

    private func copy(_ change: (inout WhatIf) -> Void) -> WhatIf {
        var copy = self
        change(&copy)
        return copy
    }

    /// Follows the other course, and compares where it ends with the state of the log.
    ///
    /// What a command throws is a problem in the outcome: the command changes nothing then.
    ///
    /// - Parameters:
    ///   - last: the last event; nil for that of the log.
    ///   - progress: called after each event; what it throws ends the run.
    /// - Complexity: that of a replay up to the first edit, and O(changes × log n) after it.
    /// - Throws: what `progress` throws; `StoreError` with `.noSuchEvent` or `.belowFloor` if an
    ///   edit is of an event that the log does not have, `.invalidInput` if two commands have the
    ///   same name, or an event is both skipped and edited, or edited without being that of such a
    ///   command; `.logCorrupt` and the like for a damaged log.
    public func run(
        through last: SequenceNumber? = nil, progress: (SequenceNumber) throws -> Void = { _ in }
    ) throws -> WhatIfOutcome {
        try archive.follow(self, through: last, progress)
    }

    /// The events that are skipped or edited.
    var changed: Set<SequenceNumber> { Set(edits.keys).union(skipped) }

    /// The event after which the course begins.
    var start: SequenceNumber? {
        let firsts = changed.map { $0.advanced(by: -1) } + insertions.keys
        return (firsts + [first].compactMap { $0 }).min()
    }

    /// Throws if edits contradict each other, or name events that there are not.
    func checkEdits(through last: SequenceNumber) throws {
        if let both = skipped.intersection(edits.keys).min() {
            throw Self.misplaced("event \(both) is skipped, and edited; do one of both", both)
        }
        let named = changed.union(insertions.keys).union([first].compactMap { $0 })
        let isZero = changed.contains(.zero)
        guard let wrong = isZero ? .zero : named.filter({ $0 > last }).max() else { return }
        throw StoreError(
            .noSuchEvent, "an edit is of event \(wrong), and the events are 1 to \(last)",
            at: StoreError.Place(sequences: wrong...wrong))
    }
}
