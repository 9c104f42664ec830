/// A day of the Gregorian calendar, which is extended to all times before it began.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
/// Years are taken to begin in March, so that the leap day is a year's last.
package struct CivilDay {
    let year: Int
    let month: Int
    let day: Int

    static let daysPerEra = 146_097

    /// The day that is `dayNumber` days after 1970-01-01.
    init(dayNumber: Int) {
        // Days since 0000-03-01, in eras of 400 years.
        let days = dayNumber + 719_468
        let era = Int(floorDividing: days, by: Self.daysPerEra)
        let dayOfEra = days - era * Self.daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of these numbers; nil if the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...31 ~= day else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        // A day after the end of its month is one of the next month.
        if CivilDay(dayNumber: dayNumber).day != day { return nil }
    }

    /// The number of days from 1970-01-01.
    package var dayNumber: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let monthFromMarch = month <= 2 ? month + 9 : month - 3
        let era = Int(floorDividing: yearFromMarch, by: 400)
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = 365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - 719_468
    }
}

extension Int {
    /// The quotient, rounded toward minus infinity.
    init(floorDividing dividend: Int, by divisor: Int) {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        self = remainder < 0 ? quotient - 1 : quotient
    }
}
