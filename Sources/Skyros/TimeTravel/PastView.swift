import SkyrosDisk
import SkyrosLog

/// A state that moves through the past of a log, with live queries on it.
///
/// A step applies an event, or takes one back by its before-images, and tells the live queries
/// which records it has changed, as the writer of a store does. A longer way begins at the nearest
/// key frame, and lets the queries run again.
///
/// The live queries order their states by event numbers, which ascend in a store. So the states
/// that they see here have the number of the move instead.
///
/// - Note: Moves run on a serial queue, as they may read files.
final class PastView: Sendable {
    let hub: LiveHub
    let frames: KeyFrames
    private let reader: HistoryReader
    /// The newest state of the store.
    private let newest: @Sendable () -> Snapshot
    private let view: MainView
    private let noted: EventSignal
    private let state: Locked<State>

    private struct State: Sendable {
        /// What is shown.
        var snapshot: Snapshot
        /// The number of moves.
        var move = SequenceNumber.zero
    }

    /// A move of at most this many events tells the queries which records have changed.
    private let stepsMax: Int

    /// Begins with the newest state.
    init(
        _ reader: HistoryReader, stepsMax: Int = 1_024, spacing: UInt64 = KeyFrames.spacing,
        newest: @escaping @Sendable () -> Snapshot
    ) {
        self.reader = reader
        self.newest = newest
        self.stepsMax = stepsMax
        var first = newest()
        first.projections = nil
        noted = EventSignal(.zero)
        view = MainView(first, dirty: DirtyRows(isRecording: false))
        hub = LiveHub(view, noted: noted)
        frames = KeyFrames(reader, showing: first, spacing: spacing)
        state = Locked(State(snapshot: first))
        publish(first, changing: nil)
    }

    deinit {
        frames.stop()
        hub.end()
    }

    /// What is shown.
    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// The states that can be shown.
    var range: ClosedRange<SequenceNumber> {
        SequenceNumber(rawValue: reader.log.firstSequence - 1)...reader.last
    }

    /// Shows the state after an event. Called by one thread at a time.
    ///
    /// - Complexity: O(changes · log n) for up to 1,024 events, and the changed parts of the live
    ///   results; otherwise O(events from the nearest key frame), and the queries.
    /// - Throws: `StoreError` with `.noSuchEvent`, `.belowFloor`, `.logCorrupt` and the like;
    ///   nothing has moved then.
    func move(to target: SequenceNumber) throws {
        let former = snapshot
        guard target != former.sequence else { return }
        let (step, next): (Step?, Snapshot) = try reader.log.whileFloorStays {
            try reader.requireState(target)
            let step = try stepped(former, to: target)
            return (step, try step?.state ?? far(target))
        }
        frames.show(next, isFar: step == nil)
        publish(next, changing: step?.changes)
    }

    /// A state a few events away, and the changes that make it, if they are known.
    private typealias Step = (state: Snapshot, changes: [StagedChange]?)

    /// The state after any event.
    private func far(_ target: SequenceNumber) throws -> Snapshot {
        var newest = newest()
        newest.projections = nil
        for base in frames.bases(of: target, newest) {
            if let near = try reader.near(target, from: base) { return near }
        }
        return try reader.folded(target, as: newest)
    }

    /// The state after a few events more, or fewer; nil if it is far away, an event cannot be taken
    /// back, or the one that is shown is before what the log keeps.
    private func stepped(_ former: Snapshot, to target: SequenceNumber) throws -> Step? {
        let distance = former.sequence.distance(to: target)
        guard abs(distance) <= stepsMax, range.contains(former.sequence) else { return nil }
        if distance > 0 { return try advanced(former, to: target) }
        var changes: [StagedChange] = []
        return try reader.rewound(former, to: target) { changes += $0 }.map { ($0, changes) }
    }

    private func advanced(_ former: Snapshot, to target: SequenceNumber) throws -> Step? {
        var (state, changes) = (former, [StagedChange]())
        var isPlain = true
        try EventReader(reader.log).forEach(from: former.sequence.next, through: target) {
            event, chainHash in
            isPlain = isPlain && event.schemas.isEmpty
            changes += try Projector.applyListing(event, chainHash: chainHash, to: &state)
            return true
        }
        guard state.sequence == target else { return nil }
        if isPlain { return (state, changes) }
        // The records may have got another shape.
        try state.adoptRecordedSchemas()
        return (state, nil)
    }

    /// Shows a state to readers and live queries.
    ///
    /// - Parameter changes: what has changed; nil if that is not known.
    private func publish(_ next: Snapshot, changing changes: [StagedChange]?) {
        let move = state.withLock { state in
            state.snapshot = next
            state.move = state.move.next
            return state.move
        }
        var shown = next
        shown.sequence = move
        view.advance(to: shown, dirty: DirtyRows(isRecording: false))
        let affected =
            changes.map { hub.note($0, of: move) } ?? hub.noteUnknown(through: move)
        noted.raise(move)
        LiveHub.wake(affected, for: move)
    }
}
