import SkyrosDisk
import SkyrosLog

/// The log of events: gives each batch its place and its time, and turns events into bytes and
/// back. Where the bytes go is the engine's affair.
final class EventLog: Sendable {
    let engine: any LogEngine
    private let state: Locked<State>

    private struct State: ~Copyable, Sendable {
        var last: SequenceNumber
        var lastTime: EventTime
        var writer = EventWriter()
    }

    /// Reused between appends.
    ///
    /// - Note: `@unchecked` because it owns raw memory; it is used under the lock of `state` alone.
    private struct EventWriter: ~Copyable, @unchecked Sendable {
        var buffer = CBORWriter(capacity: 4_096)
    }

    /// What the log has made of a batch.
    struct Appended: Sendable {
        let stamp: EventStamp
        /// Where the log stands now.
        let position: LogPosition
        /// The event's size in the log.
        let byteCount: Int
    }

    init(_ engine: any LogEngine, lastTime: EventTime) {
        self.engine = engine
        let last = SequenceNumber(rawValue: engine.head.sequence)
        state = Locked(State(last: last, lastTime: lastTime))
    }

    /// Where the log stands.
    var head: LogHead { engine.head }

    /// The time of the last event.
    var lastTime: EventTime { state.withLock { $0.lastTime } }

    /// Appends `batch` as the next event, at the time `now` by the wall clock.
    ///
    /// - Throws: `StoreError`; the log is then as it was before.
    func append(
        _ batch: borrowing CommandBatch, at now: Int64, deferring: Bool
    ) throws -> Appended {
        try state.withLock { state in
            let sequence = state.last.next
            guard let time = EventTime(after: state.lastTime, now: now) else {
                throw StoreError(
                    .limitExceeded, "no time is later than that of event \(state.last)",
                    at: StoreError.Place(sequences: state.last...state.last))
            }
            state.writer.buffer.removeAll()
            EventCoding.append(batch, as: sequence, at: time, to: &state.writer.buffer)
            let timeBefore = state.lastTime.microseconds
            let position = try StoreError.wrap {
                try state.writer.buffer.withUnsafeBytes { bytes throws(LogError) in
                    try engine.append(
                        bytes, as: sequence.rawValue, timeBefore: timeBefore,
                        deferring: deferring)
                }
            }
            state.lastTime = time
            state.last = sequence
            return Appended(
                stamp: EventStamp(
                    sequence: sequence, time: time, chainHash: position.head.chainHash),
                position: position, byteCount: state.writer.buffer.count)
        }
    }
}
