/// A command batch that was appended to the log: true for ever.
public struct Event: Hashable, Sendable {
    /// The event's place in the log.
    public let sequence: SequenceNumber
    /// When it was appended.
    public let time: EventTime
    /// Actor, reason, and correlation.
    public let metadata: Metadata
    /// What was asked for, if the write block said so.
    public let intent: Intent?
    /// What changed, one change a record, in the order in which they were first touched.
    public let changes: [Change]

    package init(
        sequence: SequenceNumber, time: EventTime, metadata: Metadata, intent: Intent?,
        changes: [Change]
    ) {
        self.sequence = sequence
        self.time = time
        self.metadata = metadata
        self.intent = intent
        self.changes = changes
    }
}
