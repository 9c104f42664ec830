/// A day of the Gregorian calendar, which is extended to all times before it began.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
/// Years are taken to begin in March, so that the leap day is a year's last.
struct CivilDay {
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
}

extension Int {
    /// The quotient, rounded toward minus infinity.
    init(floorDividing dividend: Int, by divisor: Int) {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        self = remainder < 0 ? quotient - 1 : quotient
    }
}
