import Foundation
import Skyros
import SkyrosDisk

/// A time on the command line: the first and the last microsecond that it means.
///
/// A date such as `2026-03-01` means a whole day, everything else one moment: a time such as
/// `2026-03-01T12:00:00.5Z` (without a zone: UTC), or `3 hours ago`. What is not exactly of this
/// form, or not in the calendar, is refused.
struct TimeArgument: Equatable {
    let first: EventTime
    let last: EventTime

    /// A description of the forms, for error messages.
    static let forms = "a time such as 2026-03-01, 2026-03-01T12:00:00Z or \"3 hours ago\""

    /// Nil if the text is not of one of the forms.
    ///
    /// - Throws: `UsageError` if it is, but there is no such time.
    init?(_ text: String, now: Int64 = SystemClock().nowMicroseconds()) throws {
        if let ago = try Self.ago(text) {
            let (micros, overflows) = now.subtractingReportingOverflow(ago)
            guard !overflows else { throw UsageError("there is no time \"\(text)\"") }
            let time = EventTime(microseconds: micros)
            (first, last) = (time, time)
            return
        }
        guard let match = try Self.pattern.wholeMatch(in: text) else { return nil }
        let (_, year, month, day, clock) = match.output
        let date = try Self.day(Int(year), Int(month), Int(day), in: text)
        guard let clock else {
            let start = date * Self.dayMicroseconds
            first = EventTime(microseconds: start)
            last = EventTime(microseconds: start + Self.dayMicroseconds - 1)
            return
        }
        let time = EventTime(
            microseconds: date * Self.dayMicroseconds + (try Self.clock(clock, in: text)))
        (first, last) = (time, time)
    }

    private static let dayMicroseconds: Int64 = 86_400_000_000

    // A regular expression is immutable.
    nonisolated(unsafe) private static let pattern =
        #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ](.+))?/#
    // A regular expression is immutable.
    nonisolated(unsafe) private static let clockPattern =
        #/([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?/#
    // A regular expression is immutable.
    nonisolated(unsafe) private static let agoPattern =
        #/([0-9]{1,9}) +(second|minute|hour|day|week)s? +ago/#

    /// The number of days from 1970-01-01.
    private static func day(
        _ year: Int?, _ month: Int?, _ day: Int?, in text: String
    ) throws -> Int64 {
        guard let year, let month, let day,
            let civil = CivilDay(year: year, month: month, day: day)
        else { throw UsageError("there is no day \"\(text.prefix(10))\" in the calendar") }
        return Int64(civil.dayNumber)
    }

    /// The microseconds from the start of the day in UTC.
    private static func clock(_ clock: Substring, in text: String) throws -> Int64 {
        guard let match = try clockPattern.wholeMatch(in: clock) else {
            throw UsageError("\"\(text)\" is no time; write it as 2026-03-01T12:00:00.5Z")
        }
        let (_, hour, minute, second, fraction, zone) = match.output
        guard let hour = Int64(hour), let minute = Int64(minute), hour < 24, minute < 60,
            let second = Int64(second ?? "0"), second < 60
        else { throw UsageError("there is no time of day \"\(clock)\"") }
        let digits = (fraction ?? "").prefix(6)
        let micros = Int64(digits + String(repeating: "0", count: 6 - digits.count)) ?? 0
        let seconds = try hour * 3_600 + minute * 60 + second - offset(zone ?? "Z", in: text)
        return seconds * 1_000_000 + micros
    }

    /// The seconds by which a zone is ahead of UTC.
    private static func offset(_ zone: Substring, in text: String) throws -> Int64 {
        guard zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard let hours = Int64(digits.prefix(2)), let minutes = Int64(digits.suffix(2)),
            hours < 24, minutes < 60
        else { throw UsageError("there is no time zone \"\(zone)\", in \"\(text)\"") }
        let seconds = hours * 3_600 + minutes * 60
        return zone.hasPrefix("-") ? -seconds : seconds
    }

    /// The microseconds of `3 hours ago`.
    private static func ago(_ text: String) throws -> Int64? {
        guard let match = try agoPattern.wholeMatch(in: text), let count = Int64(match.1) else {
            return nil
        }
        let seconds: Int64 =
            switch match.2 {
            case "second": 1
            case "minute": 60
            case "hour": 3_600
            case "day": 86_400
            default: 604_800
            }
        let (micros, overflows) = count.multipliedReportingOverflow(by: seconds * 1_000_000)
        guard !overflows else { throw UsageError("there is no time \"\(text)\"") }
        return micros
    }
}
