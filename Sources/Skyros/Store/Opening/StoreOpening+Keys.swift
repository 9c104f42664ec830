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
        let (older, bound) = try olderKeys(of: log, since: start, through: keys.bound.sequence)
        guard bound.sequence < keys.bound.sequence else { return }
        keys = KeyTable(older + keys.events, after: bound)
    }

    /// The keys of the log since `start`, through an event, and how far back they reach.
    private func olderKeys(
        of log: any LogReader, since start: EventTime, through last: SequenceNumber
    ) throws -> ([KeyedEvent], KeyBound) {
        let reader = EventReader(log)
        var (events, bound): ([KeyedEvent], KeyBound) = ([], .none)
        var first = reader.first
        if let floor = log.floor, start.microseconds <= floor.time {
            // The log has no more than its floor remembers.
            let kept = try FloorState(floor).keys
            events = kept.events.filter { $0.time >= start && $0.sequence <= last }
            bound = kept.bound
        } else {
            first = try reader.firstSequence(since: start, through: last)
            let before = first.advanced(by: -1)
            if before > .zero {
                let time = EventTime(microseconds: start.microseconds - 1)
                bound = KeyBound(sequence: before, time: time)
            }
        }
        guard first <= last else { return (events, bound) }
        try reader.forEach(from: first, through: last) { event, _ in
            if let keyed = KeyedEvent(event) { events.append(keyed) }
            return true
        }
        return (events, bound)
    }
}
