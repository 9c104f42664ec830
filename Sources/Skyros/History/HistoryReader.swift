import SkyrosLog

/// Reads past states and the history of records from a log.
struct HistoryReader {
    let log: any LogReader
    /// The state before the first event of all.
    let empty: Snapshot

    var last: SequenceNumber { SequenceNumber(rawValue: log.head.sequence) }

    /// The whole state at `moment`.
    ///
    /// - Complexity: O(events up to the moment).
    /// - Throws: `StoreError` with `.noSuchEvent` if the log does not hold that event yet.
    func snapshot(
        asOf moment: Moment, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        var unused = DirtyRows(isRecording: false)
        return try self.snapshot(asOf: moment, marking: &unused, progress: progress)
    }

    /// The same, with `body` called before each event that is folded.
    func snapshot(
        asOf moment: Moment, visiting body: (borrowing Event) throws -> Void
    ) throws -> Snapshot {
        var unused = DirtyRows(isRecording: false)
        return try self.snapshot(asOf: moment, marking: &unused, visiting: body)
    }

    /// The same, and the newest event of each row in it.
    func snapshot(
        asOf moment: Moment, marking dirty: inout DirtyRows,
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        try snapshot(asOf: moment, marking: &dirty, visiting: { progress($0.sequence) })
    }

    /// The same, with `body` called before each event that is folded.
    func snapshot(
        asOf moment: Moment, marking dirty: inout DirtyRows,
        visiting body: (borrowing Event) throws -> Void
    ) throws -> Snapshot {
        var snapshot = empty
        let (limit, latest) = try bounds(of: moment)
        try snapshot.fold { snapshot in
            try Self.fold(log, through: limit, into: &snapshot, marking: &dirty) {
                guard $0.time <= latest else { return false }
                try body($0)
                return true
            }
        }
        return snapshot
    }

    /// Folds the events of `log` that follow `snapshot`, through `last` or the first one that is
    /// not wanted. Call it in `Snapshot.fold`.
    ///
    /// From the empty state on, the fold of a log that was pruned begins with its floor.
    static func fold(
        _ log: any LogReader, through last: SequenceNumber, into snapshot: inout Snapshot,
        marking dirty: inout DirtyRows,
        while isWanted: (borrowing Event) throws -> Bool = { _ in true }
    ) throws {
        let isFromEmpty = snapshot.sequence == .zero
        if isFromEmpty, let floor = log.floor {
            snapshot = try FloorState(floor).state(into: snapshot, marking: &dirty)
        }
        try EventReader(log).forEach(from: snapshot.sequence.next, through: last) { event, hash in
            guard try isWanted(event) else { return false }
            try Projector.apply(event, chainHash: hash, to: &snapshot, marking: &dirty)
            if event.sequence.rawValue.isMultiple(of: DirtyRows.compactionEvents) {
                dirty.compact(in: snapshot, isFromEmpty: isFromEmpty)
            }
            return true
        }
    }

    /// The state before the first event that the log keeps.
    func beginning() throws -> Snapshot {
        guard let floor = log.floor else { return empty }
        var (state, unused) = (empty, DirtyRows(isRecording: false))
        try state.fold { state in
            state = try FloorState(floor).state(into: state, marking: &unused)
        }
        return state
    }

    /// The changes of one record, oldest first.
    ///
    /// - Complexity: O(events in the log).
    func history(
        of entity: String, _ id: RecordID, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> [HistoryEntry] {
        try log.whileFloorStays { try historyNow(of: entity, id, progress) }
    }

    private func historyNow(
        of entity: String, _ id: RecordID, _ progress: (SequenceNumber) -> Void
    ) throws -> [HistoryEntry] {
        let key = HistoryKey(entity, id)
        var builder = HistoryBuilder(key, LoggedVersions(EventReader(log)))
        let reader = EventReader(log)
        if let kept = try log.floor.flatMap({ try FloorState($0).version(of: key) }) {
            try builder.append(kept)
        }
        try reader.forEach(from: reader.first, through: last) { event, _ in
            for version in RecordVersion.list(of: event, for: [key, HistoryKey(entity, nil)]) {
                try builder.append(version)
            }
            progress(event.sequence)
            return true
        }
        return builder.entries
    }

    /// The last event to fold, and the latest time of one.
    private func bounds(of moment: Moment) throws -> (SequenceNumber, EventTime) {
        switch moment {
        case .date(let date):
            let time = try EventTime(checking: date)
            if let floor = log.floor, time.microseconds < floor.time {
                throw StoreError.belowFloor(
                    "the state at \(time) is not kept", EventReader(log).first)
            }
            return (last, time)
        case .sequence(let sequence):
            try requireState(sequence)
            return (sequence, EventTime(microseconds: .max))
        }
    }

    /// Throws `StoreError` with `.noSuchEvent` if the log ends before this event, `.belowFloor` if
    /// the state after it can no longer be made.
    func requireState(_ sequence: SequenceNumber) throws {
        try requireEvent(sequence)
        guard sequence.rawValue + 1 < log.firstSequence else { return }
        throw StoreError.belowFloor(
            "the state after event \(sequence) is not kept", EventReader(log).first)
    }

    /// Throws `StoreError` with `.noSuchEvent` if the log ends before this event.
    func requireEvent(_ sequence: SequenceNumber) throws {
        guard sequence > last else { return }
        throw Self.missing(sequence, last: last)
    }

    /// The chain hash through an event, or that of an empty log for 0.
    ///
    /// - Throws: as `requireState`; `StoreError` with `.logCorrupt` and the like if the log is
    ///   damaged.
    func chainHash(through sequence: SequenceNumber) throws -> ChainHash {
        try requireState(sequence)
        guard sequence > .zero else { return empty.chainHash }
        guard let hash = try EventReader(log).check(through: sequence) else {
            throw Self.missing(sequence, last: last)
        }
        return hash
    }

    static func missing(_ sequence: SequenceNumber, last: SequenceNumber) -> StoreError {
        StoreError(
            .noSuchEvent, "there is no event \(sequence) yet; the last one is \(last)",
            at: StoreError.Place(sequences: sequence...sequence))
    }
}
