import SkyrosLog

extension Archive {
    /// Replays the log and calls `body` with each event and the state after it, until it returns
    /// false.
    ///
    ///     try archive.replay(after: 1_000) { event, state in
    ///         print(event.sequence, try event.changes(of: Order.self).count)
    ///         return true
    ///     }
    ///
    /// Keeping a state or an event after the call costs speed: the next event must copy what it
    /// changes.
    ///
    /// - Parameters:
    ///   - first: the event after which to begin; nil to begin with the first that the log keeps.
    ///     The state after it is that of the checkpoint, if this is not later, and of the events
    ///     between the two.
    ///   - last: the last event; nil for that of the log.
    ///   - body: receives an event and the state after it.
    /// - Complexity: O(events up to the last one).
    /// - Throws: what `body` throws; `StoreError` with `.belowFloor` if the state after `first` is
    ///   not kept, `.noSuchEvent` if the log ends before `first` or `last`, `.invalidInput` if
    ///   `last` is before `first`, `.logCorrupt` and the like if the log is damaged.
    public func replay(
        after first: SequenceNumber? = nil, through last: SequenceNumber? = nil,
        _ body: (_ event: AppliedEvent, _ state: Snapshot) throws -> Bool
    ) throws {
        let (first, end) = try range(after: first, through: last)
        var snapshot = try state(after: first, from: empty)
        try EventReader(log).forEach(from: first.next, through: end) { event, chainHash in
            let replayed = try AppliedEvent(event, chainHash: chainHash, on: &snapshot)
            return try body(replayed, snapshot)
        }
    }

    /// The event before a range to replay, and its last one.
    ///
    /// - Throws: `StoreError` with `.belowFloor`, `.noSuchEvent`, `.invalidInput`.
    func range(
        after first: SequenceNumber?, through last: SequenceNumber?
    ) throws -> (first: SequenceNumber, last: SequenceNumber) {
        let last = last ?? sequence
        let first = first ?? firstSequence.advanced(by: -1)
        try historyReader.requireState(first)
        try historyReader.requireEvent(last)
        guard first <= last else {
            throw StoreError(
                .invalidInput, "a replay that begins after event \(first) cannot end at \(last)")
        }
        return (first, last)
    }
}
