public import Foundation

/// A moment in a store's history.
public enum Moment: Hashable, Sendable {
    /// Just after this event; zero is before the first one.
    case sequence(SequenceNumber)
    /// At this time: after the last event that is not later.
    case date(Date)
}
