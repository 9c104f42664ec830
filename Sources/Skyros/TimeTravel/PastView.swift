import SkyrosDisk
import SkyrosLog

/// A state that moves through the past of a log, with live queries on it.
///
/// A step applies an event, or takes one back by its before-images, and tells the live queries
/// which records it has changed, as the writer of a store does. A longer way begins at the nearest
/// state that is known, and lets the queries run again.
///
/// The live queries order their states by event numbers, which ascend in a store. So the states
/// that they see here have the number of the move instead.
///
/// - Note: Moves run on a serial queue, as they may read files.
final class PastView: Sendable {
    let hub: LiveHub
    private let reader: HistoryReader
    private let view: MainView
    private let noted: EventSignal
    private let state: Locked<State>

    private struct State: Sendable {
        /// What is shown.
        var snapshot: Snapshot
        /// The number of moves.
        var move = SequenceNumber.zero
        var frames: KeyFrames
    }

    /// A move of at most this many events tells the queries which records have changed.
    private static let stepsMax = 1_024

    /// Begins with the newest state.
    init(_ reader: HistoryReader, from newest: Snapshot) {
        self.reader = reader
        var first = newest
        first.projections = nil
        noted = EventSignal(.zero)
        view = MainView(first, dirty: DirtyRows(isRecording: false))
        hub = LiveHub(view, noted: noted)
        var frames = KeyFrames()
        frames.insert(first)
        state = Locked(State(snapshot: first, frames: frames))
        publish(first, changing: nil)
    }

    deinit {
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
    ///   results; otherwise O(events from the nearest known state), and the queries.
    /// - Throws: `StoreError` with `.noSuchEvent`, `.belowFloor`, `.logCorrupt` and the like;
    ///   nothing has moved then.
    func move(to target: SequenceNumber) throws {
        let former = snapshot
        guard target != former.sequence else { return }
        try reader.requireState(target)
        if let (next, changes) = try stepped(former, to: target) {
            return publish(next, changing: changes)
        }
        let known = state.withLock { state in
            state.frames.insert(state.snapshot)
            return state.frames.nearest(to: target)
        }
        let next = try reader.snapshot(asOf: .sequence(target), from: known ?? former)
        state.withLock { $0.frames.insert(next) }
        publish(next, changing: nil)
    }

    /// The state after a few events more, or fewer, with the changes that make it; nil if it is far
    /// away, or an event cannot be taken back.
    private func stepped(
        _ former: Snapshot, to target: SequenceNumber
    ) throws -> (Snapshot, [StagedChange])? {
        let distance = former.sequence.distance(to: target)
        guard abs(distance) <= Self.stepsMax else { return nil }
        return distance > 0
            ? try advanced(former, to: target) : try rewound(former, to: target)
    }

    private func advanced(
        _ former: Snapshot, to target: SequenceNumber
    ) throws -> (Snapshot, [StagedChange])? {
        var (state, changes) = (former, [StagedChange]())
        var isPlain = true
        try EventReader(reader.log).forEach(from: former.sequence.next, through: target) {
            event, chainHash in
            isPlain = isPlain && event.schemas.isEmpty
            changes += try Projector.applyListing(event, chainHash: chainHash, to: &state)
            return isPlain
        }
        return isPlain && state.sequence == target ? (state, changes) : nil
    }

    private func rewound(
        _ former: Snapshot, to target: SequenceNumber
    ) throws -> (Snapshot, [StagedChange])? {
        var (state, changes) = (former, [StagedChange]())
        let events = EventReader(reader.log)
        let isWhole = try events.forEachReversed(from: former.sequence, downTo: target.next) {
            guard Rewinder.canTakeBack($0) else { return false }
            changes += try Rewinder.takeBack($0, from: &state)
            return true
        }
        guard isWhole, let stamp = try events.stamp(of: target), let time = stamp.time else {
            return nil
        }
        state.move(to: target, time: time, rawChainHash: stamp.chainHash.rawValue)
        return (state, changes)
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

/// States that were shown, from which others can be made.
///
/// They share the rows that are the same. The one that has been of use least recently goes first.
private struct KeyFrames: Sendable {
    /// The one that was of use last is the last one.
    private var frames: [Snapshot] = []

    private static let countMax = 16

    mutating func insert(_ frame: Snapshot) {
        frames.removeAll { $0.sequence == frame.sequence }
        frames.append(frame)
        if frames.count > Self.countMax { frames.removeFirst() }
    }

    /// The state that is nearest to an event.
    mutating func nearest(to target: SequenceNumber) -> Snapshot? {
        let index = frames.indices.min { left, right in
            abs(frames[left].sequence.distance(to: target))
                < abs(frames[right].sequence.distance(to: target))
        }
        guard let index else { return nil }
        let frame = frames.remove(at: index)
        frames.append(frame)
        return frame
    }
}
