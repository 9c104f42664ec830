import SkyrosLog

// Conditions of writes, which are checked under the writer lock, before the block runs.

extension Store {
    /// A condition with the states that it names by their sequences, so that other writers need not
    /// wait until they are made.
    ///
    /// One that cannot be made is left out: the check under the writer lock meets the same error,
    /// and a write that turns out to be a repetition is not checked.
    func prepared(_ condition: WriteCondition) -> WriteCondition {
        let newest = view.current
        return condition.mapStates { answer, sequence in
            try? stateToPrepare(answer, sequence, newest)
        }
    }

    private func stateToPrepare(
        _ answer: any ExpectedAnswer, _ sequence: SequenceNumber, _ newest: Snapshot
    ) throws -> Snapshot? {
        // What was just read is at hand when the block runs.
        guard sequence < newest.sequence,
            try !isUnchanged(answer, since: sequence, in: session.newest)
        else { return nil }
        return try past(of: answer, asOf: sequence, before: newest)
    }

    /// The state after an event, as far as an answer needs it.
    ///
    /// - Parameter newest: a later state.
    /// - Throws: as `snapshot(asOf:)`.
    private func past(
        of answer: any ExpectedAnswer, asOf sequence: SequenceNumber, before newest: Snapshot
    ) throws -> Snapshot {
        if let record = try answer.record(), let index = session.history,
            index.isQuick(through: sequence)
        {
            return try historyReader.state(
                of: record.entity, record.id, asOf: sequence, in: index)
                ?? historyReader.stateWithoutRecords(asOf: sequence)
        }
        return try historyReader.snapshot(asOf: .sequence(sequence), from: newest)
    }

    /// Checks conditions in the state on which the block will run.
    ///
    /// - Throws: `StoreError` with `.conflict` if one does not hold, `.noSuchEvent` if one names a
    ///   later event, `.unknownEntity`; what filters throw.
    func check(_ condition: WriteCondition, on state: Snapshot) throws {
        for part in condition.parts {
            switch part {
            case .last(let sequence): try check(sequence, isLastOf: state)
            case .unchanged(let answer, let base): try check(answer, since: base, on: state)
            case .noEvent(let pattern, let sequence):
                try check(noEvent: pattern, since: sequence, on: state)
            }
        }
    }

    private func check(_ sequence: SequenceNumber, isLastOf state: Snapshot) throws {
        guard state.sequence != sequence else { return }
        try requireEvent(sequence, in: state)
        throw StoreError(
            .conflict,
            "the write expects that event \(sequence) is the last one, which is \(state.sequence). "
                + Self.remedy,
            at: StoreError.Place(sequences: sequence.next...state.sequence))
    }

    private func check(
        _ answer: any ExpectedAnswer, since base: WriteCondition.Base, on state: Snapshot
    ) throws {
        if case .sequence(let sequence) = base,
            try isUnchanged(answer, since: sequence, in: state)
        {
            return
        }
        let past = try self.state(at: base, of: answer, before: state)
        let reads = ReadSet(of: state)
        try answer.note(in: reads, from: past, to: state)
        // The comparison of states may find a change that leaves the answer: before the page of a
        // request, or by a record that was written again in a newer shape.
        guard past.sequence < state.sequence, let change = reads.conflict(from: past, to: state),
            (try? answer.answer(in: past) == answer.answer(in: state)) != true
        else { return }
        let record = change.id.map { "\(change.entity) \($0)" } ?? change.entity
        throw StoreError(
            .conflict,
            "\(record) has changed since event \(past.sequence), on which the write was decided. "
                + Self.remedy,
            at: StoreError.Place(
                sequences: past.sequence.next...state.sequence, entity: change.entity,
                ids: change.id.map { [$0] } ?? []))
    }

    /// Whether it is known without a state of the past that a record is the same.
    private func isUnchanged(
        _ answer: any ExpectedAnswer, since sequence: SequenceNumber, in state: Snapshot
    ) throws -> Bool {
        guard let record = try answer.record(), let table = try answer.table(in: state) else {
            return false
        }
        return session.recent.isUnchanged(
            record.id, inTableAt: table, since: sequence, through: state)
    }

    /// The state on which a write was decided, as far as the answer needs it, with the hash seed of
    /// `state`, which is a later one.
    private func state(
        at base: WriteCondition.Base, of answer: any ExpectedAnswer, before state: Snapshot
    ) throws -> Snapshot {
        let sequence: SequenceNumber
        switch base {
        case .sequence(let number): sequence = number
        case .state(let seen):
            guard try isPast(seen, of: state) else {
                throw StoreError(
                    .conflict,
                    "the state of event \(seen.sequence), on which the write was decided, is of "
                        + "another history than the store's. " + Self.remedy)
            }
            if seen.hashSeed == state.hashSeed { return seen }
            sequence = seen.sequence
        }
        try requireEvent(sequence, in: state)
        if sequence == state.sequence { return state }
        try session.makeReadable(through: state)
        return try past(of: answer, asOf: sequence, before: state)
    }

    /// Whether a state is one that led to another.
    private func isPast(_ seen: Snapshot, of state: Snapshot) throws -> Bool {
        if seen.sequence >= state.sequence {
            return seen.sequence == state.sequence && seen.chainHash == state.chainHash
        }
        let engine = session.engine
        if seen.sequence == .zero { return seen.chainHash == engine.beginning }
        return try EventReader(engine).holds(seen)
    }

    private func check(
        noEvent pattern: EventPattern, since sequence: SequenceNumber, on state: Snapshot
    ) throws {
        try requireEvent(sequence, in: state)
        guard sequence < state.sequence else { return }
        try session.makeReadable(through: state)
        // By the index of the history: other writers wait.
        let search = EventSearch(
            reader: historyReader, index: session.history, filter: pattern.filter,
            first: sequence.next, last: state.sequence, newestFirst: false)
        var cursor = EventSearch.Cursor(search)
        guard let event = try cursor.next() else { return }
        throw StoreError(
            .conflict,
            "event \(event.sequence) has \(pattern), and the write was decided on event "
                + "\(sequence). " + Self.remedy,
            at: StoreError.Place(sequences: event.sequence...event.sequence))
    }

    /// Throws `StoreError` with `.noSuchEvent` if a state ends before an event.
    private func requireEvent(_ sequence: SequenceNumber, in state: Snapshot) throws {
        guard sequence > state.sequence else { return }
        throw StoreError(
            .noSuchEvent,
            "the write was decided on event \(sequence), and the last one is \(state.sequence). "
                + Self.remedy,
            at: StoreError.Place(sequences: sequence...sequence))
    }

    private static let remedy =
        "Nothing was written; read again, decide anew, and write with the new sequence"
}
