extension Store {
    /// The events of a range, as a lazy sequence.
    ///
    ///     for try await event in store.events(100...200) { … }
    ///     let newest = try Array(store.events(4_711...))
    ///
    /// Numbers beyond the newest event are left out. Calling it reads nothing.
    public func events(_ range: some RangeExpression<SequenceNumber>) -> EventSequence {
        EventSequence(log.engine, range, end: sequence)
    }

    /// All events that the store keeps, as a lazy sequence.
    public func events() -> EventSequence { EventSequence(log.engine, end: sequence) }

    /// The events of a range that a filter names, as a lazy sequence.
    ///
    ///     let mine = store.events(where: EventFilter(actor: "alice"), newestFirst: true)
    ///     for try await event in mine { … }
    ///
    /// Numbers beyond the newest event are left out. Calling it reads nothing, and each part of the
    /// log is searched when the events before it were taken.
    ///
    /// - Complexity: O(matches), by the index of the history, and O(events) of the newest part of
    ///   the log, about 1 MiB, when it was not read for such a question before. A part of a reason
    ///   is searched in all different reasons. The times at which something happened are compared
    ///   in all events that have the rest. With `Options.historyIndex = .scan`, O(events of the
    ///   range).
    public func events(
        _ range: (any RangeExpression<SequenceNumber> & Sendable)? = nil, where filter: EventFilter,
        newestFirst: Bool = false
    ) -> EventSequence {
        let session = session
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        return EventSequence(reader, session.history, range, filter, newestFirst: newestFirst)
    }

    /// The first event that the store keeps, or will hold: 1 unless its history was pruned.
    public var firstSequence: SequenceNumber { EventReader(log.engine).first }

    /// The events after `sequence`, then each new one as it is written.
    ///
    /// Calling it reads nothing, but binds the stream to its first event: what is written before a
    /// task iterates it is not missed. Each iteration reads the log again.
    ///
    /// - Parameter sequence: 0 for all events; nil for those written from now on. Where the event
    ///   after it was pruned, the stream throws `.belowFloor`: begin with the state of the floor,
    ///   `snapshot(asOf: .sequence(floor.sequence))`, and the events after that.
    public func changes(after sequence: SequenceNumber? = nil) -> EventStream {
        let session = session
        return EventStream(
            log: session.engine, signal: session.signal,
            first: (sequence ?? self.sequence).advanced(by: 1))
    }

    /// The event with this sequence, or nil. It reads the part of the log around it.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func event(_ sequence: SequenceNumber) throws -> Event? {
        try EventReader(log.engine).event(sequence)
    }
}
