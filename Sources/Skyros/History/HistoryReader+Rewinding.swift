import SkyrosLog

extension HistoryReader {
    /// Whether taking back this number of events costs less than applying the other, each on a
    /// state that others have too.
    static func isShorter(back: Int, on: Int) -> Bool { back <= on / 2 }

    /// This number of events or records is folded from the beginning, where nothing has to be
    /// copied, in the time in which one event is taken back from a state that others have too: 3
    /// and 18 µs in a store of a million records.
    private static let foldedPerRewound = 6

    /// The whole state at `moment`, by the shortest way: back from a state, on from it, or from the
    /// first event.
    ///
    /// - Parameter known: a state, which need not be of this log.
    /// - Complexity: O(events between the two, times log n), or O(events up to the moment).
    /// - Throws: as `snapshot(asOf:)`.
    func snapshot(asOf moment: Moment, from known: Snapshot) throws -> Snapshot {
        let target = try sequence(of: moment)
        return try near(target, from: known) ?? folded(target, as: known)
    }

    /// What `snapshot(asOf:from:)` costs, about, in events that are folded from the beginning.
    func cost(of target: SequenceNumber, from known: Snapshot) -> Double {
        let first = SequenceNumber(rawValue: log.firstSequence - 1)
        let fromStart = Double(first.distance(to: target) + known.recordCount)
        let between = Double(abs(target.distance(to: known.sequence)))
        return min(fromStart, between * Double(Self.foldedPerRewound))
    }

    /// The state after the event `target`, of the first event and those that follow.
    ///
    /// - Parameter known: a state with the same types.
    func folded(_ target: SequenceNumber, as known: Snapshot) throws -> Snapshot {
        var past = try log.whileFloorStays { try snapshot(asOf: .sequence(target)) }
        past.acceptsEntities = known.acceptsEntities
        try past.adoptRecordedSchemas()
        return past
    }

    /// The state after the event `target`, made of another one; nil if a fold costs less, or there
    /// is no other way.
    ///
    /// - Parameters:
    ///   - known: a state, which need not be of this log.
    ///   - eventsMax: no more events than these are taken back.
    ///   - note: called with the number of changes of each event between the two; if it throws,
    ///     there is no state.
    /// - Throws: as `snapshot(asOf:)`; what `note` throws.
    func near(
        _ target: SequenceNumber, from known: Snapshot, takingBack eventsMax: Int = .max,
        noting note: (_ changeCount: Int) throws -> Void = { _ in }
    ) throws -> Snapshot? {
        // An event after the moment may be damaged: a fold does not read it.
        guard (try? EventReader(log).holds(known)) == true else { return nil }
        if target >= known.sequence { return try advanced(known, to: target, note) }
        let first = SequenceNumber(rawValue: log.firstSequence - 1)
        // Records of a floor, or inserted by the thousand in one event.
        let fromStart = first.distance(to: target) + known.recordCount
        let back = target.distance(to: known.sequence)
        guard back <= eventsMax, back <= fromStart / Self.foldedPerRewound else { return nil }
        return try? rewound(known, to: target) { try note($0.count) }
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
            let time = try EventTime(checking: date)
            return try EventReader(log).lastSequence(until: time, through: end ?? last)
        }
    }

    private func advanced(
        _ known: Snapshot, to target: SequenceNumber, _ note: (Int) throws -> Void
    ) throws -> Snapshot {
        var snapshot = known
        var unused = DirtyRows(isRecording: false)
        try Self.fold(log, through: target, into: &snapshot, marking: &unused) {
            try note($0.changes.count)
            return true
        }
        try snapshot.adoptRecordedSchemas()
        return snapshot
    }

    /// The state after the event `target`, made of a later one; nil if an event between them does
    /// not say what was there before it.
    ///
    /// - Parameter note: called with the changes that take each event back.
    func rewound(
        _ snapshot: consuming Snapshot, to target: SequenceNumber,
        noting note: ([StagedChange]) throws -> Void = { _ in }
    ) throws -> Snapshot? {
        let reader = EventReader(log)
        let isWhole = try reader.forEachReversed(from: snapshot.sequence, downTo: target.next) {
            guard Rewinder.canTakeBack($0) else { return false }
            try note(try Rewinder.takeBack($0, from: &snapshot))
            return true
        }
        guard isWhole, let stamp = try reader.stamp(of: target), let time = stamp.time else {
            return nil
        }
        snapshot.move(to: target, time: time, rawChainHash: stamp.chainHash.rawValue)
        return snapshot
    }
}
