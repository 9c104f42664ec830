/// Decides whether history is deleted, and up to which time. A pure function of the times of
/// events.
///
/// History is deleted down to the period once a tenth more of it is kept. So there are about ten
/// prunes in a period at most, and each has something to delete.
struct RetentionPlan: Equatable, Sendable {
    /// The period that is kept at least, in microseconds.
    let period: Int64

    /// The plan of a store; nil if it keeps everything.
    init?(_ retention: Retention) {
        guard let period = retention.periodMicroseconds else { return nil }
        self.period = period
    }

    /// The age of the oldest history from which on it is deleted.
    private var ageMax: Int64 {
        let (sum, overflows) = period.addingReportingOverflow(period / 10)
        return overflows ? .max : sum
    }

    /// The time from which on history is kept; nil if nothing is due.
    ///
    /// - Parameters:
    ///   - newest: the time of the newest event.
    ///   - oldest: the time of the event before the first that is kept, as the floor states it;
    ///     that of event 1 if nothing was deleted yet.
    func cut(newest: EventTime, oldest: EventTime) -> EventTime? {
        guard oldest < newest else { return nil }
        let (age, overflows) = newest.microseconds
            .subtractingReportingOverflow(oldest.microseconds)
        guard overflows ? ageMax < .max : age > ageMax else { return nil }
        // The period is shorter than the age, so this is later than the oldest.
        return EventTime(microseconds: newest.microseconds - period)
    }
}
