/// What opening a store found and did (promise P4): a value to look at, not a line in a log.
public struct RecoveryReport: Hashable, Sendable {
    /// What became of the checkpoint.
    public enum Checkpoint: Hashable, Sendable {
        /// There was none.
        case none
        /// It was loaded; it held the state after this event.
        case loaded(SequenceNumber)
        /// It could not be used and was set aside; the state was rebuilt from the log.
        case rebuilt(because: String)
    }

    /// Whether the store was closed in order the last time, or is new.
    public internal(set) var wasClean = true
    /// The last event.
    public internal(set) var sequence: SequenceNumber = .zero
    /// What became of the checkpoint.
    public internal(set) var checkpoint: Checkpoint = .none
    /// How many events were folded after the checkpoint.
    public internal(set) var replayedEventCount = 0
    /// Bytes at the end of the log that never became a whole event: what a write left that was
    /// cut short, or what a power cut took of events that were not durable yet.
    public internal(set) var cutByteCount = 0
    /// Whole events among them, behind a gap that a power cut had left.
    public internal(set) var cutEventCount = 0
    /// What was set aside, as paths relative to the store's directory.
    public internal(set) var quarantined: [String] = []

    /// Whether everything that was there is there: nothing was cut off and nothing set aside.
    public var isComplete: Bool { cutByteCount == 0 && quarantined.isEmpty }
}
