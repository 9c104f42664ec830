import SkyrosLog

// States of the past by the shortest way. Each event or record costs some microseconds, and what
// they cost in relation to each other does not depend on the store.
extension Archive {
    /// An event is applied to a state that others have too, or taken back from it, in the time in
    /// which this number of events is folded from the beginning, where nothing has to be copied.
    private static let costWhereShared = 6.0

    /// The same for an event that is taken back from a state that nobody else has.
    private static let costOfTakingBack = 3.0

    /// The whole state at a moment: of another state, of the checkpoint, or of the log alone, by
    /// what costs least.
    ///
    /// - Parameters:
    ///   - known: a state of this store; nil if there is none yet.
    ///   - progress: called now and then with the number of records and events read, and that of
    ///     all; it begins anew if the first way leads nowhere.
    /// - Complexity: O(records of the checkpoint + events between it and the moment),
    ///   O(events between `known` and the moment, times log n), or O(events up to the moment).
    /// - Throws: as `snapshot(asOf:)`. What is damaged after the moment is no error.
    package func nearestSnapshot(
        asOf moment: Moment, from known: Snapshot? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Snapshot {
        // A fold says what is wrong with the moment, and with the log up to it.
        if let target = try? historyReader.sequence(of: moment),
            let near = near(target, from: known, progress)
        {
            return near
        }
        let total = Int(clamping: eventCount(through: moment))
        return try snapshot(asOf: moment) { progress(Int(clamping: $0.rawValue), total) }
    }

    /// The number of events up to a moment; of a date, at most.
    package func eventCount(through moment: Moment?) -> UInt64 {
        if case .sequence(let last) = moment { last.rawValue } else { sequence.rawValue }
    }

    /// The state after an event of another one; nil if a fold costs less, or is the only way.
    private func near(
        _ target: SequenceNumber, from known: Snapshot?,
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) -> Snapshot? {
        let foldCost = Double(firstSequence.advanced(by: -1).distance(to: target))
        let knownCost = known.map {
            Double(abs($0.sequence.distance(to: target))) * Self.costWhereShared
        }
        let limit = min(foldCost, knownCost ?? foldCost)
        if let state = try? ofCheckpoint(target, costingLessThan: limit, progress) { return state }
        guard let known, let knownCost, knownCost < foldCost else { return nil }
        return try? moved(known, to: target, progress)
    }

    /// The state after an event, of the checkpoint; nil if there is none that can be used, or it is
    /// too far away.
    private func ofCheckpoint(
        _ target: SequenceNumber, costingLessThan limit: Double,
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> Snapshot? {
        var isMade = false
        var state = empty
        try state.fold { state in
            let loaded = try loadCheckpoint(into: state, progress) {
                let distance = $0.position.last.distance(to: target)
                let each = distance < 0 ? Self.costOfTakingBack : 1
                let cost = Double($0.layout.rowCount) + Double(abs(distance)) * each
                return cost < limit ? abs(distance) : nil
            }
            guard let (checkpoint, layout) = loaded else { return }
            let made = try moved(checkpoint, to: target) {
                progress(layout.rowCount + $0, layout.rowCount + $1)
            }
            guard let made else { return }
            state = made
            isMade = true
        }
        return isMade ? state : nil
    }

    /// The state after an event, of one before or after it; nil if that is not one of this log, or
    /// an event between them does not say what was there before it.
    private func moved(
        _ state: consuming Snapshot, to target: SequenceNumber,
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> Snapshot? {
        guard try EventReader(log).holds(state) else { return nil }
        let first = state.sequence
        let total = abs(first.distance(to: target))
        if target < first {
            var done = 0
            return try historyReader.rewound(state, to: target) { _ in
                done += 1
                progress(done, total)
            }
        }
        var unused = DirtyRows(isRecording: false)
        try HistoryReader.fold(log, through: target, into: &state, marking: &unused) {
            progress(first.distance(to: $0.sequence), total)
            return true
        }
        return state
    }
}
