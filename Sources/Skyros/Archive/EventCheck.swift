import SkyrosLog

/// Checks an event beyond what a fold does: its encoding and its time.
struct EventCheck {
    /// What is wrong, in words, with the event and its place.
    private(set) var problems: [String] = []
    /// Problems that are counted and not described.
    private(set) var furtherCount = 0
    private var lastTime = EventTime.zero
    /// What headers and indexes say about times, by event.
    private let stated: [UInt64: [StatedTime]]

    /// A log by another writer may be wrong in every event.
    private static let problemsMax = 100

    /// - Parameter floor: that of the log, after which the events begin.
    init(_ stated: [StatedTime], after floor: LogFloor?) {
        self.stated = Dictionary(grouping: stated, by: \.sequence)
        if let floor { lastTime = EventTime(microseconds: floor.time) }
        compareTimes(of: SequenceNumber(rawValue: floor?.head.sequence ?? 0), at: lastTime)
    }

    /// Checks an event, whose bytes are `bytes`.
    mutating func check(_ event: Event, _ bytes: UnsafeRawBufferPointer) {
        do throws(CBORError) {
            // The event around a record adds levels.
            try CanonicalForm.check(bytes, depth: -EventCoding.levelsAround)
        } catch {
            note("event \(event.sequence) is not in canonical form: \(error) of the event")
        }
        if event.time <= lastTime {
            let bound = lastTime == .zero ? "the beginning of 1970" : "the one before"
            note("event \(event.sequence) is not later than \(bound)")
        }
        lastTime = event.time
        compareTimes(of: event.sequence, at: event.time)
    }

    private mutating func note(_ problem: String) {
        guard problems.count < Self.problemsMax else {
            furtherCount += 1
            return
        }
        problems.append(problem)
    }

    private mutating func compareTimes(of sequence: SequenceNumber, at time: EventTime) {
        for other in stated[sequence.rawValue] ?? [] where other.microseconds != time.microseconds {
            let what = sequence == .zero ? "the log begins" : "event \(sequence) happened"
            note(
                "events/\(other.segment) says at byte \(other.offset) that \(what) at "
                    + "\(EventTime(microseconds: other.microseconds)), and not at \(time)")
        }
    }
}
