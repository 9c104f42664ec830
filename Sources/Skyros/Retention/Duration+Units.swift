extension Duration {
    /// This number of days, each of 86,400 seconds; the longest or shortest number of seconds if
    /// there are more.
    ///
    ///     options.retention = .keep(.days(90))
    public static func days(_ days: Int) -> Duration { multiple(days, of: 86_400) }

    /// This number of hours; the longest or shortest number of seconds if there are more.
    public static func hours(_ hours: Int) -> Duration { multiple(hours, of: 3_600) }

    /// This number of minutes; the longest or shortest number of seconds if there are more.
    ///
    ///     machine.position = .ago(.minutes(5))
    public static func minutes(_ minutes: Int) -> Duration { multiple(minutes, of: 60) }

    private static func multiple(_ count: Int, of unit: Int64) -> Duration {
        let (seconds, overflows) = Int64(count).multipliedReportingOverflow(by: unit)
        if overflows { return .seconds(count < 0 ? Int64.min : Int64.max) }
        return .seconds(seconds)
    }
}
