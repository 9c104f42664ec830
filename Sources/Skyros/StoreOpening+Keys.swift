import SkyrosLog

// The idempotency keys of the log.

extension StoreOpening {
    /// For how long keys are remembered.
    var keyWindow: KeyWindow { KeyWindow(options.idempotencyWindow) }

    /// Adds the keys that the checkpoint has dropped, and this window holds: the store was open
    /// with a shorter one. The checkpoint is a cache, and must not decide which keys are known.
    ///
    /// - Parameter time: that of the newest event.
    /// - Complexity: O(1) if the window is the same; otherwise it reads the events of the
    ///   difference.
    func complete(
        _ keys: inout KeyTable, from log: any LogReader, at time: EventTime
    ) throws {
        let start = keyWindow.start(at: time)
        guard !keys.bound.reaches(start) else { return }
        let reader = EventReader(log)
        let last = keys.bound.sequence
        let first = try reader.firstSequence(since: start, through: last)
        guard first <= last else { return }
        var events: [KeyedEvent] = []
        try reader.forEach(from: first, through: last) { event, _ in
            if let keyed = KeyedEvent(event) { events.append(keyed) }
            return true
        }
        let before = first.advanced(by: -1)
        let bound =
            before == .zero
            ? KeyBound.none
            : KeyBound(sequence: before, time: EventTime(microseconds: start.microseconds - 1))
        keys = KeyTable(events + keys.events, after: bound)
    }
}
