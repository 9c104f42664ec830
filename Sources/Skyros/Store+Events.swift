extension Store {
    /// The events of a range, as a lazy sequence.
    ///
    ///     for try await event in store.events(100...200) { … }
    ///     let newest = try Array(store.events(4_711...))
    ///
    /// Numbers beyond the newest event are left out. Calling it reads nothing.
    public func events(
        _ range: some RangeExpression<SequenceNumber> = SequenceNumber(rawValue: 1)...
    ) -> EventSequence {
        EventSequence(log.engine, range, end: sequence)
    }

    /// The events after `sequence`, then each new one as it is written.
    ///
    /// Calling it reads nothing, but binds the stream to its first event: what is written before a
    /// task iterates it is not missed. Each iteration reads the log again.
    ///
    /// - Parameter sequence: 0 for all events; nil for those written from now on.
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
