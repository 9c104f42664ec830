import Dispatch
import SkyrosDisk
import SkyrosLog

/// States of the past from which others are made: at regular distances around what is shown, and
/// some that were shown before.
///
/// A background queue prepares them from one another, those that are near first. They share the
/// records that are the same, so a frame costs memory for those that its events change.
///
/// The name and the idea are those of video files, whose pictures say what has changed since the
/// last key frame.
final class KeyFrames: Sendable {
    private let reader: HistoryReader
    /// The number of events from one prepared frame to the next.
    private let spacing: UInt64
    private let queue = DispatchQueue(label: "skyros.keyframes", qos: .utility)
    private let state: Locked<State>

    private struct State: Sendable {
        /// What is shown.
        var current: Snapshot
        /// What was shown before long ways, the last one at the end.
        var former: [Snapshot] = []
        var prepared: [Frame] = []
        /// The places at which no state could be made of the one beside it.
        var failed: Set<SequenceNumber> = []
        var hasBegun = false
        var isPreparing = false
        var isStopped = false
    }

    private struct Frame: Sendable {
        let state: Snapshot
        /// The number of records that no other state has, at most.
        let recordCount: Int
    }

    /// Ends a frame that would have too many records that no other state has.
    private struct TooLarge: Error {}

    /// Half of it is the longest way to a frame: 2,048 events, which take 20 to 50 ms in a store of
    /// a million records.
    static let spacing: UInt64 = 4_096
    /// A user goes back to where he came from.
    private static let formerMax = 2
    /// All frames together may hold this number of records that no other state has, and a quarter
    /// of those of the state.
    private static let recordsMax = 100_000
    /// One frame may hold the fourth part of them.
    private static let parts = 4
    private static let preparedMax = 128
    /// So near to the beginning of the log a frame is folded.
    private static let foldedMax: UInt64 = 8

    init(_ reader: HistoryReader, showing current: Snapshot, spacing: UInt64 = spacing) {
        self.reader = reader
        self.spacing = spacing
        state = Locked(State(current: current))
    }

    /// Notes what is shown, and prepares the frames around it.
    ///
    /// - Parameter isFar: whether it was made by a long way.
    func show(_ next: Snapshot, isFar: Bool) {
        let (released, isNear) = state.withLock { state in
            let former = state.current
            state.current = next
            var released = [former]
            // A step as a rule leaves the places of frames where they are.
            let place = next.sequence.rawValue / spacing
            if !isFar, state.hasBegun, former.sequence.rawValue / spacing == place {
                return (released, true)
            }
            if isFar {
                state.former.append(former)
                if state.former.count > Self.formerMax {
                    released.append(state.former.removeFirst())
                }
                state.failed = []
            }
            return (released + removeFar(from: &state), false)
        }
        // The records that only these had are freed here, after the lock.
        withExtendedLifetime(released) {}
        if !isNear { prepare() }
    }

    /// The states from which one is best made, the one with the shortest way first: one before it
    /// and one after it.
    ///
    /// - Parameter newest: the newest state of the store.
    func bases(of target: SequenceNumber, _ newest: Snapshot) -> [Snapshot] {
        let known =
            state.withLock { $0.prepared.map(\.state) + $0.former + [$0.current] } + [newest]
        let before = known.filter { $0.sequence <= target }.max { $0.sequence < $1.sequence }
        let after = known.filter { $0.sequence > target }.min { $0.sequence < $1.sequence }
        guard let before, let after else { return [before, after].compactMap { $0 } }
        let isBack = HistoryReader.isShorter(
            back: target.eventCount(to: after.sequence), on: before.sequence.eventCount(to: target))
        return isBack ? [after, before] : [before, after]
    }

    /// Prepares the frames around what is shown, unless that is being done.
    func prepare() {
        let isDue = state.withLock { state in
            state.hasBegun = true
            guard !state.isStopped, !state.isPreparing, missing(in: state) != nil else {
                return false
            }
            state.isPreparing = true
            return true
        }
        if isDue { queue.async { self.run() } }
    }

    /// Prepares no more.
    func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// Waits until all are prepared, and returns their places in order.
    func waitUntilPrepared() -> [SequenceNumber] {
        queue.sync { state.withLock { $0.prepared.map(\.state.sequence).sorted() } }
    }

    private func run() {
        while let target = nextTarget() {
            let frame = frame(at: target)
            let released = state.withLock { state in
                if let frame { state.prepared.append(frame) } else { state.failed.insert(target) }
                return removeFar(from: &state)
            }
            withExtendedLifetime(released) {}
        }
    }

    private func nextTarget() -> SequenceNumber? {
        state.withLock { state in
            let target = state.isStopped ? nil : missing(in: state)
            state.isPreparing = target != nil
            return target
        }
    }

    /// Makes a frame of its neighbours; nil if that would be a fold of the log, or it would have
    /// too many records that no other state has.
    private func frame(at target: SequenceNumber) -> Frame? {
        let known = state.withLock { $0.current }
        let changesMax = budget(for: known) / Self.parts
        for base in bases(of: target, known) {
            if base.sequence == target { return Frame(state: base, recordCount: 0) }
            guard base.sequence.eventCount(to: target) <= spacing else { continue }
            var changeCount = 0
            // Of damaged events a move tells.
            let near = try? reader.near(target, from: base) { count in
                changeCount += count
                if changeCount > changesMax { throw TooLarge() }
            }
            if let near {
                return Frame(state: near, recordCount: min(changeCount, near.recordCount))
            }
        }
        guard reader.log.floor == nil, target.rawValue <= Self.foldedMax * spacing,
            let folded = try? reader.folded(target, as: known), folded.recordCount <= changesMax
        else { return nil }
        return Frame(state: folded, recordCount: folded.recordCount)
    }

    /// The nearest place around what is shown that has no frame yet; nil if the frames that there
    /// are have all records that they may have.
    private func missing(in state: State) -> SequenceNumber? {
        let prepared = Dictionary(
            state.prepared.map { ($0.state.sequence, $0.recordCount) }, uniquingKeysWith: max)
        var recordCount = 0
        for place in places(in: state) {
            guard let known = prepared[place] else {
                return recordCount < budget(for: state.current) ? place : nil
            }
            recordCount += known
        }
        return nil
    }

    /// The places of frames, the nearest first. Beyond a place at which none could be made there
    /// are no more.
    private func places(in state: State) -> [SequenceNumber] {
        let (first, last) = (SequenceNumber(rawValue: reader.log.firstSequence), reader.last)
        let current = state.current.sequence
        let start = current.advanced(by: -Int(current.rawValue % spacing))
        let below = (0..<Self.preparedMax).lazy
            .map { start.advanced(by: -$0 * Int(self.spacing)) }
            .prefix { $0 >= first && !state.failed.contains($0) }
        let above = (1...Self.preparedMax).lazy
            .map { start.advanced(by: $0 * Int(self.spacing)) }
            .prefix { $0 <= last && !state.failed.contains($0) }
        let places = (Array(below) + Array(above)).sorted {
            (current.eventCount(to: $0), $0) < (current.eventCount(to: $1), $1)
        }
        return Array(places.prefix(Self.preparedMax))
    }

    /// The number of records that only the frames have, at most.
    private func budget(for state: Snapshot) -> Int { state.recordCount / 4 + Self.recordsMax }

    /// Removes frames until the others have no more records than they may: those first that are not
    /// around what is shown, or far away. Returns what it has removed.
    private func removeFar(from state: inout State) -> [Snapshot] {
        let current = state.current.sequence
        let wanted = Set(places(in: state))
        state.prepared.sort { left, right in
            let (a, b) = (left.state.sequence, right.state.sequence)
            if wanted.contains(a) != wanted.contains(b) { return wanted.contains(a) }
            // As in `places`: what is made must not be what is removed.
            return (current.eventCount(to: a), a) < (current.eventCount(to: b), b)
        }
        let budget = budget(for: state.current)
        var recordCount = 0
        let kept = state.prepared.prefix(Self.preparedMax).prefix { frame in
            defer { recordCount += frame.recordCount }
            return recordCount < budget
        }.count
        let removed = state.prepared[kept...].map(\.state)
        state.prepared.removeSubrange(kept...)
        return removed
    }
}

extension SequenceNumber {
    /// The number of events between the two.
    fileprivate func eventCount(to other: SequenceNumber) -> Int { abs(distance(to: other)) }
}
