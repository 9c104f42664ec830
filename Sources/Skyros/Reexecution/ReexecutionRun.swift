import SkyrosLog

/// One pass over a log that executes its commands again and compares.
struct ReexecutionRun {
    private(set) var result = Reexecution()
    private let executor: CommandExecutor
    private let differencesMax: Int

    init(_ types: CommandTypes, empty: Snapshot, differencesMax: Int) {
        executor = CommandExecutor(types, empty: empty)
        self.differencesMax = differencesMax
    }

    /// Executes the event's command, if it has one, and applies the event.
    ///
    /// - Parameter state: the one before the event, then after it.
    mutating func pass(
        _ event: Event, chainHash: ChainHash, _ state: inout Snapshot
    ) throws {
        if let intent = event.intent, intent.encodedOutput != nil {
            if let outcome = executor.execute(event, on: state) {
                result.commandCount += 1
                try compare(outcome, with: event, chainHash, on: state)
            } else {
                result.unknownCommands.count(intent.name)
            }
        }
        var unused = DirtyRows(isRecording: false)
        try Projector.apply(event, chainHash: chainHash, to: &state, marking: &unused)
        try state.adoptSchemas(of: event)
    }

    private mutating func compare(
        _ outcome: CommandExecutor.Outcome, with event: Event, _ chainHash: ChainHash,
        on before: Snapshot
    ) throws {
        if case .done(let execution) = outcome, execution.isSame(as: event) { return }
        // Its changes may have another order, or its records another shape.
        var after = before
        let recorded = try Projector.applyListing(event, chainHash: chainHash, to: &after)
        var difference = Reexecution.Difference(event: event)
        switch outcome {
        case .done(let execution):
            difference.records = RecordOutcome(of: recorded).differences(
                to: RecordOutcome(of: execution.changes), after: before)
            difference.output = try Self.outputChange(from: event.intent, to: execution.output)
            if difference.records.isEmpty, difference.output == nil { return }
        case .failed(let error): difference.error = error
        }
        difference.isDeterministic = (1...Self.repetitionCount).allSatisfy { _ in
            executor.execute(event, on: before)?.isSame(as: outcome) ?? false
        }
        note(difference)
    }

    private mutating func note(_ difference: Reexecution.Difference) {
        result.differenceCount += 1
        if result.differences.count < differencesMax { result.differences.append(difference) }
        guard !difference.isDeterministic, let name = difference.event.intent?.name else { return }
        result.nondeterministicCommands.count(name)
    }

    private static func outputChange(
        from intent: Intent?, to output: [UInt8]?
    ) throws -> FieldChange? {
        guard intent?.encodedOutput != output else { return nil }
        return FieldChange(
            field: "result", before: try intent?.output, after: try output.map(FieldValue.init))
    }

    /// How often a command that differs is executed again. Twice the same is likely for
    /// a coin, four times is not.
    private static let repetitionCount = 3
}

extension NamedValues<Int> {
    fileprivate mutating func count(_ name: String) { self[name] = (self[name] ?? 0) + 1 }
}
