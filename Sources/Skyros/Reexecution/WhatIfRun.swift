import SkyrosLog

/// One pass over a log that follows another course beside it.
struct WhatIfRun {
    private let course: WhatIf
    private let types: CommandTypes
    private let writer: Writer
    /// The state of the log, and that of the other course.
    private(set) var actual: Snapshot
    private(set) var other: Snapshot
    private var executedCount = 0
    private var appliedCount = 0
    private var problemCount = 0
    private var problems: [WhatIfOutcome.Problem] = []

    /// - Parameter state: the one before the first edit.
    init(_ course: WhatIf, from state: Snapshot, empty: Snapshot) throws {
        self.course = course
        types = try CommandTypes(course.commands)
        writer = Writer(empty: empty, .system)
        actual = state
        other = state
        // It is no state of the log, and must not be taken for one.
        other.chainHash = state.chainHash.advanced(by: 0)
        // The log may have records of entities without a type.
        other.acceptsEntities = true
        try other.adoptRecordedSchemas()
    }

    var outcome: WhatIfOutcome {
        WhatIfOutcome(
            state: other, actual: actual, executedCount: executedCount,
            appliedCount: appliedCount, problemCount: problemCount, problems: problems)
    }

    /// Follows an event of the log on both courses.
    mutating func pass(_ event: Event, chainHash: ChainHash) throws {
        try follow(event)
        try adopt(event)
        var unused = DirtyRows(isRecording: false)
        try Projector.apply(event, chainHash: chainHash, to: &actual, marking: &unused)
        try insert(after: event.sequence, at: event.time)
    }

    /// Runs the blocks that are inserted after an event.
    mutating func insert(after sequence: SequenceNumber, at time: EventTime) throws {
        let blocks = course.insertions[sequence] ?? []
        for (index, block) in blocks.enumerated() {
            executedCount += 1
            let inputs = BlockInputs(
                at: time, ids: [], salt: sequence.rawValue << 16 | UInt64(index + 1))
            try run(after: sequence, nil, inputs, block)
        }
    }

    private mutating func follow(_ event: Event) throws {
        if course.skipped.contains(event.sequence) { return }
        let inputs = BlockInputs(of: event)
        if let edit = course.edits[event.sequence] {
            guard let intent = event.intent else {
                throw StoreError(
                    .invalidInput, "event \(event.sequence) has no command that can be edited",
                    at: StoreError.Place(sequences: event.sequence...event.sequence))
            }
            executedCount += 1
            return try run(after: event.sequence, event, inputs) { try edit(intent, &$0) }
        }
        if let intent = event.intent, intent.encodedOutput != nil, let command = types[intent.name]
        {
            executedCount += 1
            return try run(after: event.sequence, event, inputs) { try command(intent, &$0) }
        }
        appliedCount += 1
        var misfits: [WhatIfOutcome.Misfit] = []
        try run(after: event.sequence, event, inputs) { transaction in
            misfits = try transaction.overlay.stage(factsOf: event)
        }
        if !misfits.isEmpty { note(event.sequence, event, nil, misfits) }
    }

    /// Runs a write block on the other state. One that throws changes nothing, and is a problem.
    private mutating func run(
        after sequence: SequenceNumber, _ event: Event?, _ inputs: BlockInputs,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws {
        var batch = CommandBatch(metadata: Metadata(), intent: nil)
        do {
            try writer.stage(on: other, with: inputs, into: &batch, block)
        } catch let error as StoreError where error.code == .invalidInput && event != nil {
            throw error
        } catch {
            let cause = (error as? UndecodableCommand)?.cause ?? error
            return note(sequence, event, cause, [])
        }
        try Projector.apply(batch.changes, to: &other)
    }

    /// Takes over from an event what is no change of a record.
    private mutating func adopt(_ event: Event) throws {
        other.sequence = event.sequence
        other.time = event.time
        guard !event.schemas.isEmpty else { return }
        event.schemas.forEach { other.schemas[$0.key] = $0.value }
        try other.adoptRecordedSchemas()
    }

    private mutating func note(
        _ sequence: SequenceNumber, _ event: Event?, _ error: (any Error)?,
        _ misfits: [WhatIfOutcome.Misfit]
    ) {
        problemCount += 1
        guard problems.count < course.problemsMax else { return }
        problems.append(
            WhatIfOutcome.Problem(
                sequence: sequence, event: event, error: error, misfits: misfits))
    }
}

extension Archive {
    /// Follows another course of the history.
    func follow(
        _ course: WhatIf, through last: SequenceNumber?, _ progress: (SequenceNumber) -> Void
    ) throws -> WhatIfOutcome {
        if course.changed.contains(.zero) {
            throw StoreError(.noSuchEvent, "there is no event 0; the first is \(firstSequence)")
        }
        let (first, last) = try range(after: course.start ?? last ?? sequence, through: last)
        if let end = course.end, end > last {
            throw StoreError(
                .noSuchEvent, "an edit is of event \(end), and the course ends at \(last)",
                at: StoreError.Place(sequences: end...end))
        }
        let state = try state(after: first, from: empty)
        var run = try WhatIfRun(course, from: state, empty: empty)
        try run.insert(after: first, at: state.time)
        try EventReader(log).forEach(from: first.next, through: last) { event, chainHash in
            try run.pass(event, chainHash: chainHash)
            progress(event.sequence)
            return true
        }
        return run.outcome
    }
}
