/// What the search for the event that broke a condition has found.
///
///     let found = try archive.bisect { try $0.first(Account.self, where: \.balance < 0) == nil }
///     switch found.finding {
///     case .event(let event): print(event.sequence, event.metadata.actor ?? "-")
///     case .brokenAlready(let sequence): print("before or at \(sequence)")
///     case .holds: print("it holds")
///     }
public struct Bisection: Sendable {
    /// Where the condition breaks.
    public enum Finding: Sendable {
        /// The condition holds before this event, and does not hold after it.
        case event(AppliedEvent)
        /// It does not hold after this event, with which the search began; 0 if that is the
        /// beginning of the log.
        case brokenAlready(SequenceNumber)
        /// It holds after the last event, and after all others that were examined.
        case holds(SequenceNumber)
    }

    /// Where the condition breaks.
    public let finding: Finding
    /// The number of states that were examined.
    public let stateCount: Int

    /// The event that broke the condition; nil if there is none.
    public var event: AppliedEvent? {
        if case .event(let event) = finding { event } else { nil }
    }
}
