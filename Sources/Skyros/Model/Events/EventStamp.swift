import SkyrosLog

/// Where an event stands in the history.
struct EventStamp: Sendable {
    let sequence: SequenceNumber
    let time: EventTime
    /// The running check through the event.
    let check: RunningCheck
}
