/// The records of one type that one event has changed.
public struct RecordChanges<E: Entity>: Sendable {
    /// The event's place in the log.
    public let sequence: SequenceNumber
    /// When the event was appended.
    public let time: EventTime
    /// Actor, reason, correlation, causation, tags, and when it happened.
    public let metadata: Metadata
    /// The domain command, if the write block had one.
    public let intent: Intent?
    /// The records, before and after, in the order of the event's changes; at least one.
    public let changes: [RecordChange<E>]

    init(_ event: Event, _ changes: [RecordChange<E>]) {
        sequence = event.sequence
        time = event.time
        metadata = event.metadata
        intent = event.intent
        self.changes = changes
    }
}
