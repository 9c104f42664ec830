import SkyrosLog

/// When the events of a part of the log happened, if they did in the order of the log.
struct HappeningOrder {
    /// From the first event to the last; nil if there is none, or they happened in another order.
    private(set) var times: TimeSpan?
    private(set) var isThatOfTheLog = true

    /// Adds what follows: an event, or a part.
    ///
    /// - Parameter later: nil if its order is another one.
    mutating func append(_ later: TimeSpan?) {
        guard isThatOfTheLog, let later, later.start >= times?.end ?? .min else {
            (times, isThatOfTheLog) = (nil, false)
            return
        }
        times = times?.joined(with: later) ?? later
    }

    mutating func append(_ time: EventTime) {
        append(TimeSpan(from: time.microseconds, through: time.microseconds))
    }
}
