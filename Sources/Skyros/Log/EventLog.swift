import SkyrosDisk
import SkyrosLog

/// The log of events: gives each batch its sequence and time, encodes it, and passes the bytes to
/// the engine.
final class EventLog: Sendable {
    let engine: any LogEngine
    private let state: Locked<State>
    private let clockGuard: ClockGuard

    private struct State: ~Copyable, Sendable {
        var last: SequenceNumber
        var lastTime: EventTime
        /// The buffer of the encoder.
        var writer = CBORWriter(capacity: 4_096)
    }

    /// A batch as the log has appended it.
    struct Appended: Sendable {
        let stamp: EventStamp
        /// The end of the log after the event.
        let position: LogPosition
        /// The event's size in the log.
        let byteCount: Int
    }

    init(
        _ engine: any LogEngine, lastTime: EventTime, _ clockGuard: ClockGuard = ClockGuard()
    ) {
        self.engine = engine
        self.clockGuard = clockGuard
        let last = SequenceNumber(rawValue: engine.head.sequence)
        state = Locked(State(last: last, lastTime: lastTime))
    }

    /// Continues after an event that another process has appended.
    func continueAfter(_ last: SequenceNumber, at time: EventTime) {
        state.withLock { state in
            state.last = last
            state.lastTime = time
        }
    }

    /// Appends `batch` as the next event, at the time `now` of the wall clock.
    ///
    /// - Throws: `StoreError`; the log is unchanged then.
    func append(
        _ batch: borrowing CommandBatch, at now: Int64, deferring: Bool
    ) throws -> Appended {
        try state.withLock { state in
            let sequence = state.last.next
            try clockGuard.check(now, after: state.lastTime, of: state.last)
            guard let time = EventTime(after: state.lastTime, now: now) else {
                throw StoreError(
                    .limitExceeded, "no time is later than that of event \(state.last)",
                    at: StoreError.Place(sequences: state.last...state.last))
            }
            state.writer.removeAll()
            EventCoding.append(batch, as: sequence, at: time, to: &state.writer)
            let timeBefore = state.lastTime.microseconds
            let position = try StoreError.wrap {
                try state.writer.withUnsafeBytes { bytes throws(LogError) in
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
                position: position, byteCount: state.writer.count)
        }
    }
}
