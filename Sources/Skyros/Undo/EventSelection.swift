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

    /// The events that the undo stacks of an actor have taken back by others, in ascending ranges.
    /// O(n log n) for the undone events.
    func undone(
        by actor: String, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [ClosedRange<SequenceNumber>] {
        let filter = EventFilter(actor: actor, intent: UndoEvents.commandName)
        return try events(where: filter, from: first, through: last).compactMap(\.undo)
            .filter { $0.step == .undo }.flatMap(\.ranges)
            .sorted { $0.lowerBound < $1.lowerBound }
    }

    private func events(
        where filter: EventFilter, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [Event] {
        guard first <= last else { return [] }
        return try Array(
            EventSequence(reader, index, first...last, filter, newestFirst: false))
    }
}
