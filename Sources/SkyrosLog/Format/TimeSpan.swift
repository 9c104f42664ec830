/// The time from one batch to another, both in microseconds since 1970. The end may come first in
/// damaged or foreign files.
package struct TimeSpan: Equatable, Sendable {
    package let start: Int64
    package let end: Int64

    package init(from start: Int64, through end: Int64) {
        self.start = start
        self.end = end
    }

    /// From the start of this one to the end of a later one.
    package func joined(with later: TimeSpan) -> TimeSpan {
        TimeSpan(from: start, through: later.end)
    }

    /// Whether it is not longer than `limit` microseconds; always, if that is nil.
    package func fits(_ limit: Int64?) -> Bool {
        guard let limit, start < end else { return true }
        let (length, overflows) = end.subtractingReportingOverflow(start)
        return !overflows && length <= limit
    }
}
