extension Archive {
    /// The state at a time, made of events in the order in which they happened: as it is known now,
    /// or as it was known at a moment.
    ///
    /// - Parameters:
    ///   - time: the time.
    ///   - moment: events after it are left out. Default: none are.
    ///   - progress: called after each event, if the order is not that of the log.
    /// - Complexity: and throws: as `Store.snapshot(occurred:knownAt:)`; without a state to begin
    ///   with, the events are folded from the first on.
    public func snapshot(
        occurred time: EventTime, knownAt moment: Moment? = nil,
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> OccurredSnapshot {
        let reader = historyReader
        let last = try moment.map { try reader.sequence(of: $0) } ?? sequence
        return try reader.snapshot(
            occurred: time, knownThrough: last, in: historyIndex, from: empty, progress: progress)
    }
}
