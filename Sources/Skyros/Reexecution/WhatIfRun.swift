import SkyrosLog

/// One pass over a log that follows another course beside it.
struct WhatIfRun {
    private let course: WhatIf
    private let types: CommandTypes
    private let writer: Writer
    /// The state of the log, and that of the other course.
    private var actual: Snapshot
    private var other: Snapshot
    /// The blocks before the first event, which take their time from it.
    private var isAtBeginning: Bool
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
        isAtBeginning = true
        // It is no state of the log, and must not be taken for one.
        other.chainHash = state.chainHash.advanced(by: 0)
        try other.prepareForCommands()
    }

    /// The comparison at the end.
    mutating func finish() throws -> WhatIfOutcome {
        if isAtBeginning { try insert(at: actual.time) }
        return WhatIfOutcome(
            state: other, actual: actual, executedCount: executedCount,
            appliedCount: appliedCount, problemCount: problemCount, problems: problems)
    }

    /// Follows an event of the log on both courses.
    mutating func pass(_ event: Event, chainHash: ChainHash) throws {
        if isAtBeginning {
            // The first event of a log follows none.
            let before = EventTime(microseconds: max(event.time.microseconds, .min + 1) - 1)
            try insert(at: actual.sequence == .zero ? before : actual.time)
        }
        isAtBeginning = false
        let changes = try Projector.applyListing(event, chainHash: chainHash, to: &actual)
        try follow(event, changes)
        other.sequence = event.sequence
        other.time = event.time
        try other.adoptSchemas(of: event)
        try insert(at: event.time)
    }

    /// Runs the blocks that are inserted after the present event.
    private mutating func insert(at time: EventTime) throws {
        let sequence = actual.sequence
        for (index, block) in (course.insertions[sequence] ?? []).enumerated() {
            let number = index + 1
            let micros = min(time.microseconds, .max - Int64(index)) + Int64(index)
            let inputs = BlockInputs(
                at: EventTime(microseconds: micros), ids: [],
                salt: sequence.rawValue << 16 | UInt64(number))
            executedCount += 1
            _ = try run(after: sequence, nil, inputs, block)
        }
    }

    private mutating func follow(_ event: Event, _ changes: [StagedChange]) throws {
        if course.skipped.contains(event.sequence) { return }
        let inputs = BlockInputs(of: event)
        if let edits = course.edits[event.sequence] {
            guard let intent = event.intent, intent.encodedOutput != nil else {
                throw WhatIf.misplaced(
                    "event \(event.sequence) was not made by a command that can be edited",
                    event.sequence)
            }
            executedCount += 1
            _ = try run(after: event.sequence, event, inputs) { try edits.run(intent, &$0) }
        } else if let command = types.command(of: event) {
            executedCount += 1
            _ = try run(after: event.sequence, event, inputs, command)
        } else {
            var misfits: [WhatIfOutcome.Misfit] = []
            let isApplied = try run(after: event.sequence, event, inputs) { transaction in
                misfits = try transaction.overlay.stage(facts: changes)
            }
            guard isApplied else { return }
            appliedCount += 1
            if !misfits.isEmpty { note(event.sequence, event, nil, misfits) }
        }
    }

    /// Runs a write block on the other state; returns whether it was applied. One that throws
    /// changes nothing, and is a problem.
    private mutating func run(
        after sequence: SequenceNumber, _ event: Event?, _ inputs: BlockInputs,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Bool {
        var batch = CommandBatch(metadata: Metadata(), intent: nil)
        do {
            try writer.stage(on: other, with: inputs, into: &batch, block)
        } catch let error as WhatIf.MisplacedEdit {
            throw error.cause
        } catch {
            note(sequence, event, (error as? UndecodableCommand)?.cause ?? error, [])
            return false
        }
        try Projector.apply(batch.changes, to: &other)
        return true
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

extension Snapshot {
    /// Lets commands run on a state of an archive as on that of a store: records of entities
    /// without a type can be written, and are held to what the log has recorded of them.
    mutating func prepareForCommands() throws {
        acceptsEntities = true
        try adoptRecordedSchemas()
    }

    /// Takes over what an event records of shapes.
    mutating func adoptSchemas(of event: Event) throws {
        guard !event.schemas.isEmpty else { return }
        event.schemas.forEach { schemas[$0.key] = $0.value }
        try adoptRecordedSchemas()
    }
}

extension Archive {
    /// Follows another course of the history.
    func follow(
        _ course: WhatIf, through last: SequenceNumber?,
        _ progress: (SequenceNumber) throws -> Void
    ) throws -> WhatIfOutcome {
        let last = last ?? sequence
        try course.checkEdits(through: last)
        let (first, _) = try range(after: course.start ?? last, through: last)
        let state = try state(after: first, from: empty)
        var run = try WhatIfRun(course, from: state, empty: empty)
        try EventReader(log).forEach(from: first.next, through: last) { event, chainHash in
            try run.pass(event, chainHash: chainHash)
            try progress(event.sequence)
            return true
        }
        return try run.finish()
    }
}
