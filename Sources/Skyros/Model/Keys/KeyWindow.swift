/// For how long a store remembers idempotency keys.
struct KeyWindow: Sendable {
    private let microseconds: Int64

    /// The window of a store that asks for no other: 7 days.
    static let standard: Duration = .seconds(7 * 86_400)

    init(_ duration: Duration) {
        microseconds = duration.microsecondsMax
    }

    /// The time of the oldest event whose key is known to an event at `time`.
    func start(at time: EventTime) -> EventTime {
        let (start, overflows) = time.microseconds.subtractingReportingOverflow(microseconds)
        return EventTime(microseconds: overflows ? .min : start)
    }

    /// Adds an event to a table if it has a key, and drops those that are too old for it.
    func note(_ event: borrowing Event, in table: inout KeyTable) {
        guard let keyed = KeyedEvent(event) else { return }
        note(keyed, in: &table)
    }

    func note(_ event: KeyedEvent, in table: inout KeyTable) {
        table.append(event)
        table.drop(before: start(at: event.time))
    }
}
