import SkyrosDisk

/// The versions and labels of the events that no run covers yet, in memory.
///
/// They are read from the log when a question comes: commits do nothing for it.
final class RunTail: Sendable {
    private struct State: Sendable {
        var last: SequenceNumber
        var byteCount = 0
        var versions: [HistoryKey: [RecordVersion]] = [:]
        var labels: [HistoryKey: [UInt64]] = [:]
        /// When each event happened.
        var happened: [EventTime] = []
        /// Whether there was more than memory is used for.
        var isTooLarge = false
    }

    /// The size of what is kept, at most: twice the log of which a run is made, as a run takes
    /// time.
    private static let byteCountMax = 2 * RunPlan.logBytesMax

    /// The last event that runs cover.
    let start: SequenceNumber
    private let state: Locked<State>

    init(after start: SequenceNumber) {
        self.start = start
        state = Locked(State(last: start))
    }

    /// Whether there was more than memory is used for, so that the log has to be read.
    var isTooLarge: Bool { state.withLock { $0.isTooLarge } }

    /// The versions of a key through `last`, oldest first; nil if there are too many events: then
    /// the log has to be read.
    ///
    /// - Complexity: O(events since the last question).
    func versions(
        of key: HistoryKey, through last: SequenceNumber, in log: EventReader
    ) throws -> [RecordVersion]? {
        try withState(through: last, in: log) { state in
            state.versions[key]?.filter { $0.sequence <= last } ?? []
        }
    }

    /// The events that have a label, in order; nil as above. Some may be later than `last`.
    func postings(
        of label: HistoryKey, through last: SequenceNumber, in log: EventReader
    ) throws -> [UInt64]? {
        try withState(through: last, in: log) { $0.labels[label] ?? [] }
    }

    /// The texts of all labels of a kind; nil as above.
    func labels(
        _ kind: EventLabel.Kind, through last: SequenceNumber, in log: EventReader
    ) throws -> [String]? {
        try withState(through: last, in: log) { state in
            state.labels.keys.compactMap { EventLabel.text(of: $0, kind) }
        }
    }

    /// When each event through `last` happened, in the order of the log; nil as above.
    func happened(
        through last: SequenceNumber, in log: EventReader
    ) throws -> ArraySlice<EventTime>? {
        try withState(through: last, in: log) { $0.happened.prefix(start.distance(to: last)) }
    }

    /// Reads what is new in the log, and returns what `body` does; nil if there are too many
    /// events.
    private func withState<R>(
        through last: SequenceNumber, in log: EventReader, _ body: (State) -> R
    ) throws -> R? {
        try state.withLock { state in
            guard !state.isTooLarge else { return nil }
            if last > state.last { try Self.read(log, through: last, into: &state) }
            return state.isTooLarge ? nil : body(state)
        }
    }

    private static func read(
        _ log: EventReader, through last: SequenceNumber, into state: inout State
    ) throws {
        try log.forEachEncoded(from: state.last.next, through: last) { sequence, bytes, _ in
            let event = try EventCoding.event(from: bytes, expecting: sequence)
            for (key, version) in RecordVersion.list(of: event) {
                state.versions[key, default: []].append(version)
            }
            for label in EventLabel.keys(of: event) {
                state.labels[label, default: []].append(event.sequence.rawValue)
            }
            state.happened.append(event.happenedAt)
            state.last = event.sequence
            state.byteCount += bytes.count
            guard state.byteCount <= byteCountMax else {
                (state.versions, state.labels, state.happened) = ([:], [:], [])
                state.isTooLarge = true
                return false
            }
            return true
        }
    }
}
