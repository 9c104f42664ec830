import SkyrosLog

// Conditions of writes, which are checked under the writer lock, before the block runs.

extension Store {
    /// Checks conditions in the state on which the block will run.
    ///
    /// - Throws: `StoreError` with `.conflict` if one does not hold, `.noSuchEvent` if one names a
    ///   later event, `.unknownEntity`; what filters throw.
    func check(_ condition: WriteCondition, on state: Snapshot) throws {
        for part in condition.parts {
            switch part {
            case .last(let sequence): try check(sequence, isLastOf: state)
            case .answers(let sequence, let note): try check(note, since: sequence, on: state)
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
        _ note: (Snapshot, Snapshot, ReadSet) throws -> Void, since sequence: SequenceNumber,
        on state: Snapshot
    ) throws {
        try requireEvent(sequence, in: state)
        let past =
            sequence == state.sequence
            ? state : try historyReader.snapshot(asOf: .sequence(sequence), from: state)
        let reads = ReadSet(of: state)
        try note(past, state, reads)
        guard sequence < state.sequence, let conflict = reads.conflict(from: past, to: state) else {
            return
        }
        let record = conflict.id.map { "\(conflict.entity) \($0)" } ?? conflict.entity
        throw StoreError(
            .conflict,
            "\(record) has changed since event \(sequence), on which the write was decided. "
                + Self.remedy,
            at: StoreError.Place(
                sequences: sequence.next...state.sequence, entity: conflict.entity,
                ids: conflict.id.map { [$0] } ?? []))
    }

    private func check(
        noEvent pattern: EventPattern, since sequence: SequenceNumber, on state: Snapshot
    ) throws {
        try requireEvent(sequence, in: state)
        try EventReader(session.engine).forEach(from: sequence.next, through: state.sequence) {
            event, _ in
            guard pattern.matches(event) else { return true }
            throw StoreError(
                .conflict,
                "event \(event.sequence) has \(pattern), and the write was decided on event "
                    + "\(sequence). " + Self.remedy,
                at: StoreError.Place(sequences: event.sequence...event.sequence))
        }
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
