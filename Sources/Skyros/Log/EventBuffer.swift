import SkyrosLog

/// Reads the log in parts, and returns their events one at a time.
struct EventBuffer {
    private let log: any LogReader
    /// The next event to return.
    private(set) var sequence: SequenceNumber
    /// The events that were read and not returned yet, the next one last.
    private var pending: [Event] = []

    init(_ log: any LogReader, next: SequenceNumber) {
        self.log = log
        sequence = next
    }

    /// Whether the next event is in memory.
    var hasEvent: Bool { !pending.isEmpty }

    /// The next event; nil after `last` and at the end of the log.
    mutating func next(through last: SequenceNumber) throws -> Event? {
        if pending.isEmpty {
            guard sequence <= last else { return nil }
            pending = try EventReader(log).part(from: sequence, through: last).reversed()
        }
        guard let event = pending.popLast() else { return nil }
        sequence = event.sequence.next
        return event
    }
}
