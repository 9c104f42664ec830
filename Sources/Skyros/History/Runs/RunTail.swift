import SkyrosDisk

/// The versions of the events that no run covers yet, in memory.
///
/// They are read from the log when a question comes: commits do nothing for it.
final class RunTail: Sendable {
    private struct State: Sendable {
        var last: SequenceNumber
        var byteCount = 0
        var versions: [HistoryKey: [RecordVersion]] = [:]
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
        try state.withLock { state in
            guard !state.isTooLarge else { return nil }
            if last > state.last { try Self.read(log, through: last, into: &state) }
            if state.isTooLarge { return nil }
            return state.versions[key]?.filter { $0.sequence <= last } ?? []
        }
    }

    private static func read(
        _ log: EventReader, through last: SequenceNumber, into state: inout State
    ) throws {
        try log.forEachEncoded(from: state.last.next, through: last) { event, bytes, _ in
            for (key, version) in RecordVersion.list(of: event) {
                state.versions[key, default: []].append(version)
            }
            state.last = event.sequence
            state.byteCount += bytes.count
            guard state.byteCount <= byteCountMax else {
                state.versions = [:]
                state.isTooLarge = true
                return false
            }
            return true
        }
    }
}
