public import Foundation

/// A moment in a store's history.
public enum Moment: Hashable, Sendable {
    /// Just after this event; zero is before the first one.
    case sequence(SequenceNumber)
    /// At this time: after the last event that is not later.
    case date(Date)

    /// This time before now, by the system's clock: `.ago(.minutes(5))`.
    public static func ago(_ duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return .date(Date(timeIntervalSinceNow: -(Double(seconds) + Double(attoseconds) * 1e-18)))
    }
}
