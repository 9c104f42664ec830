package import Foundation
import SkyrosLog

/// Dates as ISO 8601 in UTC, with as many digits of a second as are needed to restore every bit:
/// `2024-02-29T12:00:00Z`, `2024-02-29T12:00:00.1Z`.
///
/// The digits are those of the shortest decimal number of seconds since 2001 that gives the
/// date's float. A parser loses only the sign of a zero. The calendar is always Gregorian, as in
/// ISO 8601 (Foundation's is Julian before October 1582). Outside the years 0000 to 9999, and for
/// a date that is not finite, the text is the number of seconds: `1e+300`, `NaN`.
package enum DateText {
    private static let secondsPerDay = 86_400
    /// Days from 1970-01-01 to 2001-01-01.
    private static let referenceDay = 11_323

    /// The text with at most six digits of the second, for people: rounded to the microsecond.
    /// Most of today's dates are not exactly the number of milliseconds that they were made of.
    static func readableText(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard abs(seconds) < 1e10 else { return text(of: date) }
        let whole = seconds.rounded(.down)
        let micros = ((seconds - whole) * 1e6).rounded()
        let start = Date(timeIntervalSinceReferenceDate: micros < 1e6 ? whole : whole + 1)
        guard micros > 0, micros < 1e6 else { return text(of: start) }
        var digits = UInt64(micros).digits(6)
        while digits.last == "0" { digits.removeLast() }
        return "\(text(of: start).dropLast()).\(digits)Z"
    }

    static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard let parts = Parts(seconds) else {
            return FieldValue.double(seconds).jsonString ?? seconds.description
        }
        let since1970 = parts.whole + referenceDay * secondsPerDay
        return text(secondsSince1970: since1970, fraction: parts.fraction) ?? seconds.description
    }

    /// The text of a whole number of seconds, with these digits after the point; nil outside the
    /// years 0000 to 9999.
    static func text(secondsSince1970 whole: Int, fraction: String) -> String? {
        let day = Int(floorDividing: whole, by: secondsPerDay)
        let second = whole - day * secondsPerDay
        let civil = CivilDay(dayNumber: day)
        guard 0...9999 ~= civil.year else { return nil }
        return pad(civil.year, 4) + "-" + pad(civil.month, 2) + "-" + pad(civil.day, 2)
            + "T" + pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":"
            + pad(second % 60, 2) + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    private static func pad(_ value: Int, _ width: Int) -> String { UInt64(value).digits(width) }
}

extension DateText {
    // A regular expression is immutable.
    nonisolated(unsafe) private static let pattern =
        #/
        ([0-9]{4})-([0-9]{2})-([0-9]{2})[T\ ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?
        (?:Z|([+\-])([0-9]{2})(?::?([0-9]{2}))?)
        /#

    /// The date of a text in ISO 8601 with a zone, to the last bit: `2024-02-29T12:00:00.1+01:00`.
    /// Nil for any other text, and for a day or a time that does not exist.
    package static func date(of text: String) -> Date? {
        // Most texts are no dates.
        guard text.utf8.count >= 20, let match = text.wholeMatch(of: pattern) else { return nil }
        let (_, year, month, day, hour, minute, second, fraction, sign, hours, minutes) =
            match.output
        guard let year = Int(year), let month = Int(month), let day = Int(day),
            let civil = CivilDay(year: year, month: month, day: day),
            let clock = seconds(hour, minute, second),
            let zone = seconds(hours ?? "00", minutes ?? "00", "00")
        else { return nil }
        let whole =
            (civil.dayNumber - referenceDay) * secondsPerDay + clock - (sign == "-" ? -zone : zone)
        var digits = fraction ?? ""
        while digits.last == "0" { digits.removeLast() }
        // One decimal number, so that it is rounded once.
        let number =
            whole >= 0
            ? "\(whole).\(digits)0"
            : digits.isEmpty
                ? "\(whole)" : "-\(-whole - 1).\(DecimalFraction.complement(String(digits)))"
        return Double(number).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The seconds of a time of day; nil if there is no such time.
    private static func seconds(
        _ hour: Substring, _ minute: Substring, _ second: Substring
    ) -> Int? {
        guard let hour = Int(hour), let minute = Int(minute), let second = Int(second),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }
}

extension DateText {
    /// A number of seconds as a whole number and a decimal fraction that is added to it.
    private struct Parts {
        let whole: Int
        /// The digits after the point, without trailing zeros.
        let fraction: String

        /// Nil for what is not finite or too far away for a calendar.
        init?(_ seconds: Double) {
            guard abs(seconds) < 1e12 else { return nil }
            let digits = Self.plainDigits(of: abs(seconds).description)
            guard let whole = Int(digits.whole) else { return nil }
            if seconds >= 0 || digits.fraction.isEmpty {
                self.whole = seconds < 0 ? -whole : whole
                fraction = digits.fraction
            } else {
                self.whole = -whole - 1
                fraction = DecimalFraction.complement(digits.fraction)
            }
        }

        /// The digits before and after the point of a float's description, without exponent.
        private static func plainDigits(
            of description: String
        ) -> (whole: String, fraction: String) {
            let parts = description.split(separator: "e")
            let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            let number = parts[0].split(separator: ".")
            var whole = String(number[0])
            var fraction = number.count > 1 ? String(number[1]) : ""
            if exponent < 0 {
                fraction =
                    String(repeating: "0", count: max(0, -exponent - whole.count)) + whole
                    + fraction
                whole = "0"
            } else if exponent > 0 {
                let padded = fraction + String(repeating: "0", count: exponent)
                whole += padded.prefix(exponent)
                fraction = String(padded.dropFirst(exponent))
            }
            while fraction.last == "0" { fraction.removeLast() }
            return (whole, fraction)
        }
    }
}
