import SkyrosDisk

/// The events with idempotency keys, from a bound on, in the order of their sequences.
///
/// It is folded from the log: each event with a key is appended, and those that are older than the
/// window are dropped in passing. What is dropped depends on the times of events only, never on a
/// clock.
struct KeyTable: Sendable {
    /// Those that were not dropped begin at `start`.
    private var all: [KeyedEvent] = []
    private var start = 0
    /// The newest event with each key. A key is used again once its event is older than the window.
    private var newest: [ByteString: SequenceNumber] = [:]
    /// The newest event whose key may be missing.
    private(set) var bound = KeyBound.none

    init() {}

    /// A table of all events with keys after a bound, in the order of their sequences.
    init(_ events: [KeyedEvent], after bound: KeyBound) {
        self.bound = bound
        for event in events { append(event) }
    }

    /// The events in the table.
    var events: ArraySlice<KeyedEvent> { all[start...] }

    /// The newest event with a key. O(log n).
    subscript(key: ByteString) -> KeyedEvent? {
        guard let sequence = newest[key] else { return nil }
        let index = events.partitioningIndex { $0.sequence >= sequence }
        return index < events.endIndex ? events[index] : nil
    }

    /// Adds a later event than those in the table. O(1), amortised.
    mutating func append(_ event: KeyedEvent) {
        all.append(event)
        newest[event.key] = event.sequence
    }

    /// Drops the events before `time`. O(1) for each, amortised.
    mutating func drop(before time: EventTime) {
        let first = start
        while start < all.count, all[start].time < time {
            let event = all[start]
            if newest[event.key] == event.sequence { newest[event.key] = nil }
            bound = KeyBound(sequence: event.sequence, time: event.time)
            start += 1
        }
        guard start > first, start > all.count / 2 else { return }
        all.removeFirst(start)
        start = 0
    }

    /// The events after one, up to another. O(log n), and their number.
    func events(after first: SequenceNumber, through last: SequenceNumber) -> ArraySlice<KeyedEvent>
    {
        let lower = events.partitioningIndex { $0.sequence > first }
        let upper = events.partitioningIndex { $0.sequence > last }
        return events[lower..<max(lower, upper)]
    }
}
