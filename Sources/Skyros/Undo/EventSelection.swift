import SkyrosLog

/// Finds events by what their metadata say. It reads the log.
struct EventSelection {
    let log: any LogReader

    /// The events with a correlation, oldest first. O(events).
    func events(
        withCorrelation correlation: String, from first: SequenceNumber,
        through last: SequenceNumber
    ) throws -> [SequenceNumber] {
        try events(from: first, through: last) { $0.metadata.correlation == correlation }
            .map(\.sequence)
    }

    /// The events of an actor, oldest first. O(events).
    func events(
        by actor: String, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [Event] {
        try events(from: first, through: last) { $0.metadata.actor == actor }
    }

    private func events(
        from first: SequenceNumber, through last: SequenceNumber, where isMeant: (Event) -> Bool
    ) throws -> [Event] {
        var found: [Event] = []
        try EventReader(log).forEach(from: first, through: last) { event, _ in
            if isMeant(event) { found.append(event) }
            return true
        }
        return found
    }
}
