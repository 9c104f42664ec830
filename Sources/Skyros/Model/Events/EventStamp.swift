import SkyrosLog

/// The position of an event in the history.
struct EventStamp: Sendable {
    let sequence: SequenceNumber
    let time: EventTime
    /// The chain hash through the event.
    let chainHash: ChainHash
}
