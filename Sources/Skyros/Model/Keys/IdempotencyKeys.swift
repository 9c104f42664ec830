import SkyrosDisk

/// The idempotency keys of a store's log, within the window.
///
/// The writer asks and adds under the writer lock. The background thread reads what a checkpoint
/// needs, so the table has a lock too. A write without a key touches neither.
final class IdempotencyKeys: Sendable {
    private let table: Locked<KeyTable>
    let window: KeyWindow

    init(_ table: KeyTable, _ window: KeyWindow) {
        self.table = Locked(table)
        self.window = window
    }

    /// All keys, for a fold that continues them.
    var current: KeyTable { table.withLock { $0 } }

    /// The event of which a write with the same key would be a repetition, if its event had the
    /// time `time`; nil if there is none in the window.
    func event(with key: String, at time: EventTime) -> KeyedEvent? {
        let bytes = KeyedEvent.bytes(of: key)
        guard let event = table.withLock({ $0[bytes] }) else { return nil }
        return event.time >= window.start(at: time) ? event : nil
    }

    /// Adds the newest event of the log.
    func note(_ key: IdempotencyKey, _ intent: Intent?, _ stamp: EventStamp) {
        let event = KeyedEvent(key.text, intent, at: stamp.sequence, stamp.time)
        table.withLock { window.note(event, in: &$0) }
    }

    /// Adds an event of the log that another node has written, if it has a key.
    func note(_ event: borrowing Event) {
        table.withLock { [event = copy event] in window.note(event, in: &$0) }
    }

    /// Forgets later events, which are lost.
    func forget(after last: SequenceNumber) {
        table.withLock { table in
            table = KeyTable(
                Array(table.events(after: .zero, through: last)), after: table.bound)
        }
    }

    /// Replaces all keys: others have written to the log.
    func replace(_ newer: KeyTable) {
        table.withLock { $0 = newer }
    }

    /// What a checkpoint must write.
    struct Changes {
        /// The checkpoint has the keys after this one.
        let bound: KeyBound
        /// Those that it lacks.
        let events: [KeyedEvent]
    }

    /// What a checkpoint of the state after an event must write.
    ///
    /// - Parameters:
    ///   - last: that event, whose time is `time`. The table may have later ones.
    ///   - known: the part of the log whose keys the checkpoint has; nil if it has none.
    func changes(
        through last: SequenceNumber, at time: EventTime,
        since known: (bound: KeyBound, last: SequenceNumber)?
    ) -> Changes {
        table.withLock { table in
            table.drop(before: window.start(at: time))
            // Later events may have made the table drop all of those.
            let isBefore = table.bound.sequence > last
            let bound = isBefore ? KeyBound(sequence: last, time: time) : table.bound
            guard let known else {
                return Changes(
                    bound: bound, events: Array(table.events(after: .zero, through: last)))
            }
            let older = table.events(after: .zero, through: min(known.bound.sequence, last))
            let newer = table.events(after: known.last, through: last)
            return Changes(bound: bound, events: Array(older) + newer)
        }
    }
}
