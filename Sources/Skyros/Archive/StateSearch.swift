/// Which of the states of a log is the first in which a condition does not hold.
package enum StateSearch {
    /// That after this event.
    case event(SequenceNumber)
    /// The one with which the search began.
    case brokenAlready(SequenceNumber)
    /// None, through the last one.
    case holds(SequenceNumber)

    /// Searches the states after the events `first` to `last` by binary search.
    ///
    /// - Parameter holds: receives the number of the event before a state.
    /// - Returns: what was found, and the number of states that were examined.
    /// - Complexity: at most ⌈log₂(n + 2)⌉ calls for n events.
    package static func run(
        after first: SequenceNumber, through last: SequenceNumber,
        _ holds: (SequenceNumber) throws -> Bool
    ) rethrows -> (found: StateSearch, stateCount: Int) {
        var stateCount = 0
        // It is in lower...upper; the number after the last stands for none.
        var (lower, upper) = (first, last.next)
        while lower < upper {
            let middle = lower.advanced(by: lower.distance(to: upper) / 2)
            stateCount += 1
            if try holds(middle) {
                lower = middle.next
            } else {
                upper = middle
            }
        }
        if lower > last { return (.holds(last), stateCount) }
        return (lower == first ? .brokenAlready(first) : .event(lower), stateCount)
    }
}
