public import Foundation
import SkyrosLog

/// When an event was appended: microseconds since 1970, UTC.
///
/// The wall clock may jump; event times do not: each is later than the one before it. The
/// sequence is the order, the time is for people.
public struct EventTime: Hashable, Sendable {
    /// Microseconds since 1970, UTC.
    public let microseconds: Int64

    /// The time this number of microseconds after the beginning of 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time of the event that follows one at `previous`, when the wall clock shows `now`;
    /// nil if there is no later time.
    package init?(after previous: EventTime, now: Int64) {
        guard previous.microseconds < .max else { return nil }
        microseconds = max(now, previous.microseconds + 1)
    }

    /// Before any event.
    package static let zero = EventTime(microseconds: 0)

    /// The nearest `Date`; exact to the microsecond for centuries around today.
    public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

extension EventTime: Comparable {
    /// Whether `a` is earlier than `b`.
    public static func < (a: EventTime, b: EventTime) -> Bool {
        a.microseconds < b.microseconds
    }
}

extension EventTime {
    /// The microsecond that is nearest to `date`. For centuries around today, the `date` of a time
    /// is converted to that time. A date that is no number is the earliest time.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min))
    }

    /// The same for a question or a command.
    ///
    /// - Throws: `StoreError` with `.invalidInput` for a date that is no number, such as 0 / 0.
    init(checking date: Date) throws {
        guard !date.timeIntervalSince1970.isNaN else {
            throw StoreError(.invalidInput, "a date is not a number; compute it anew")
        }
        self.init(date)
    }
}

extension EventTime: CustomStringConvertible {
    /// ISO 8601 in UTC with six digits of the second: `2026-03-01T12:00:00.000001Z`. The calendar
    /// is always Gregorian. Outside the years 0000 to 9999 it is the number of microseconds.
    public var description: String {
        var seconds = microseconds / 1_000_000
        var fraction = microseconds % 1_000_000
        if fraction < 0 {
            seconds -= 1
            fraction += 1_000_000
        }
        return DateText.text(
            secondsSince1970: Int(seconds), fraction: UInt64(fraction).digits(6))
            ?? String(microseconds)
    }
}
