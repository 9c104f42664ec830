import SkyrosLog

extension HistoryReader {
    /// Up to this number of events a state of the past is made of the newest one, if that is nearer
    /// than the beginning.
    ///
    /// Taking an event back costs about twice as much as folding it, for indexes are maintained.
    static let rewoundEventsMax: UInt64 = 50_000

    /// The whole state at `moment`, by the shortest way: back from a state, on from it, or from the
    /// first event.
    ///
    /// - Parameter known: a state, which need not be of this log.
    /// - Complexity: O(events between the two, times log n), or O(events up to the moment).
    /// - Throws: as `snapshot(asOf:)`.
    func snapshot(asOf moment: Moment, from known: Snapshot) throws -> Snapshot {
        let target = try sequence(of: moment)
        if let past = try near(target, from: known) { return past }
        var past = try log.whileFloorStays { try snapshot(asOf: .sequence(target)) }
        past.acceptsEntities = known.acceptsEntities
        try past.adoptRecordedSchemas()
        return past
    }

    /// The state after the event `target`, made of another one; nil if a fold costs less, or there
    /// is no other way.
    ///
    /// - Parameter known: a state, which need not be of this log.
    /// - Throws: as `snapshot(asOf:)`.
    func near(_ target: SequenceNumber, from known: Snapshot) throws -> Snapshot? {
        // An event after the moment may be damaged: a fold does not read it.
        guard (try? EventReader(log).holds(known)) == true else { return nil }
        if target >= known.sequence { return try advanced(known, to: target) }
        let distance = known.sequence.rawValue - target.rawValue
        // A log that was pruned has a whole state to read first.
        let fromStart = log.floor == nil ? target.rawValue : .max
        guard distance <= min(Self.rewoundEventsMax, fromStart) else { return nil }
        return try? rewound(known, to: target)
    }

    /// The rows after the event `target`, without indexes: no query may see the state.
    ///
    /// - Parameter known: a state, which need not be of this log.
    /// - Throws: as `snapshot(asOf:)`.
    func rows(asOf target: SequenceNumber, from known: Snapshot) throws -> Snapshot {
        if let near = try near(target, from: known.withoutIndexes()) { return near }
        var (state, unused) = (empty.withoutIndexes(), DirtyRows(isRecording: false))
        try Self.fold(log, through: target, into: &state, marking: &unused)
        return state
    }

    /// The last event of the moment; zero before the first.
    ///
    /// - Parameter end: no later event is read for a date; nil for the last one.
    /// - Complexity: O(1), or for a date O(log n) parts of the log.
    /// - Throws: `StoreError` with `.noSuchEvent` if the log does not hold the event yet,
    ///   `.belowFloor` if the moment is before the history that is kept.
    func sequence(
        of moment: Moment, through end: SequenceNumber? = nil
    ) throws -> SequenceNumber {
        switch moment {
        case .sequence(let sequence):
            try requireState(sequence)
            return sequence
        case .date(let date):
            let time = EventTime(date)
            let end = end ?? last
            guard time.microseconds < .max else { return end }
            let later = EventTime(microseconds: time.microseconds + 1)
            let first = try EventReader(log).firstSequence(since: later, through: end)
            return SequenceNumber(rawValue: first.rawValue - 1)
        }
    }

    private func advanced(_ known: Snapshot, to target: SequenceNumber) throws -> Snapshot {
        var snapshot = known
        var unused = DirtyRows(isRecording: false)
        try Self.fold(log, through: target, into: &snapshot, marking: &unused)
        try snapshot.adoptRecordedSchemas()
        return snapshot
    }

    /// The state after the event `target`, made of a later one; nil if an event between them does
    /// not say what was there before it.
    private func rewound(_ known: Snapshot, to target: SequenceNumber) throws -> Snapshot? {
        var snapshot = known
        let reader = EventReader(log)
        let isWhole = try reader.forEachReversed(from: known.sequence, downTo: target.next) {
            guard Rewinder.canTakeBack($0) else { return false }
            try Rewinder.takeBack($0, from: &snapshot)
            return true
        }
        guard isWhole, let stamp = try reader.stamp(of: target), let time = stamp.time else {
            return nil
        }
        snapshot.move(to: target, time: time, rawChainHash: stamp.chainHash.rawValue)
        return snapshot
    }
}
