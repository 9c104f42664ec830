extension Duration {
    /// This number of days, each of 86,400 seconds; the longest or shortest number of seconds if
    /// there are more.
    ///
    ///     options.retention = .keep(.days(90))
    public static func days(_ days: Int) -> Duration {
        let (seconds, overflows) = Int64(days).multipliedReportingOverflow(by: 86_400)
        if overflows { return .seconds(days < 0 ? Int64.min : Int64.max) }
        return .seconds(seconds)
    }
}
