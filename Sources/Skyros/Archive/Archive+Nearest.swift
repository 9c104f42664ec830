import SkyrosLog

// States of the past by the shortest way.
extension Archive {
    /// How a state is made.
    private enum Way {
        case fold, known, checkpoint
    }

    /// An event is applied to a state that others have too, or taken back from it, in the time in
    /// which this number of events is folded from the beginning, where nothing has to be copied: 18
    /// and 3 µs in a store of a million records.
    private static let costWhereShared = 6.0

    /// The same for an event that is taken back from a state that is not shared.
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
    /// - Throws: as `snapshot(asOf:)`, as far as it reads the log: damage that it need not read is
    ///   no error.
    package func nearestSnapshot(
        asOf moment: Moment, from known: Snapshot? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Snapshot {
        // A fold says what is wrong with the moment, and with the log up to it.
        if let target = try? historyReader.sequence(of: moment) {
            let near: Snapshot? =
                switch cheapestWay(to: target, from: known).way {
                case .fold: nil
                case .known: try? known.flatMap { try moved($0, to: target, progress) }
                case .checkpoint: try? ofCheckpoint(target, progress)
                }
            if let near { return near }
        }
        let total = Int(clamping: eventCount(through: moment))
        return try snapshot(asOf: moment) { progress(Int(clamping: $0.rawValue), total) }
    }

    /// The number of events up to a moment; of a date, at most.
    package func eventCount(through moment: Moment?) -> UInt64 {
        if case .sequence(let last) = moment { last.rawValue } else { sequence.rawValue }
    }

    /// What it costs to make the state after an event, about, in events that are folded from the
    /// beginning.
    func cost(of target: SequenceNumber, from known: Snapshot? = nil) -> Double {
        cheapestWay(to: target, from: known).cost
    }

    private func cheapestWay(
        to target: SequenceNumber, from known: Snapshot?
    ) -> (way: Way, cost: Double) {
        let eventCount = firstSequence.advanced(by: -1).distance(to: target)
        // Records of a floor, or inserted by the thousand in one event.
        let rowCount = max((try? floor)?.recordCount ?? 0, known?.recordCount ?? 0)
        var best = (way: Way.fold, cost: Double(eventCount))
        if target >= firstSequence { best.cost += Double(rowCount) }
        if let known {
            let cost = Double(abs(known.sequence.distance(to: target))) * Self.costWhereShared
            if cost < best.cost { best = (.known, cost) }
        }
        // One that cannot be read is none.
        if let checkpoint = try? checkpoint() {
            defer { try? checkpoint.close() }
            if let description = try? checkpoint.description(), isOfLog(description.position) {
                let distance = description.position.last.distance(to: target)
                let each = distance < 0 ? Self.costOfTakingBack : 1
                let cost =
                    Double(description.layout.rowCount) + Double(abs(distance)) * each
                if cost < best.cost { best = (.checkpoint, cost) }
            }
        }
        return best
    }

    /// Whether a checkpoint is of this log, as far as it was read.
    private func isOfLog(_ position: CheckpointPosition) -> Bool {
        position.storeID == log.storeID.bytes && (try? position.compare(with: log)) != nil
    }

    /// The state after an event, of the checkpoint; nil if there is none that can be used.
    private func ofCheckpoint(
        _ target: SequenceNumber, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> Snapshot? {
        var isMade = false
        var state = empty
        try state.fold { state in
            let loaded = try loadCheckpoint(into: state, progress) {
                abs($0.distance(to: target))
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
