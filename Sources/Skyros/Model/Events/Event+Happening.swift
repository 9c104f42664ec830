extension Event {
    /// When the event happened: its `occurredAt`, and without that when it was recorded.
    public var happenedAt: EventTime { metadata.occurredAt ?? time }
}
