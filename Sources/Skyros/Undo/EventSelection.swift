/// Finds events by what their metadata say.
struct EventSelection {
    let reader: HistoryReader
    /// Nil if the log is read.
    let index: HistoryIndex?

    /// The events with a correlation, oldest first. O(matches).
    func events(
        withCorrelation correlation: String, from first: SequenceNumber,
        through last: SequenceNumber
    ) throws -> [SequenceNumber] {
        try events(where: EventFilter(correlation: correlation), from: first, through: last)
            .map(\.sequence)
    }

    /// The events of an actor, oldest first. O(matches).
    func events(
        by actor: String, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [Event] {
        try events(where: EventFilter(actor: actor), from: first, through: last)
    }

    /// The events of an actor with a correlation, oldest first. O(matches).
    func events(
        by actor: String, withCorrelation correlation: String, from first: SequenceNumber,
        through last: SequenceNumber
    ) throws -> [Event] {
        try events(
            where: EventFilter(actor: actor, correlation: correlation), from: first, through: last)
    }

    private func events(
        where filter: EventFilter, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [Event] {
        guard first <= last else { return [] }
        return try Array(
            EventSequence(reader, index, first...last, filter, newestFirst: false))
    }
}
