extension Event {
    /// When the event happened: its `occurredAt`, and without that when it was recorded.
    public var happenedAt: EventTime { metadata.occurredAt ?? time }
}

extension HistoryEntry {
    /// When the change happened: the `occurredAt` of its event, and without that when it was
    /// recorded.
    public var happenedAt: EventTime { metadata.occurredAt ?? time }
}
