/// An estimate of the time to open a store: to load the rows of its checkpoint and to fold the
/// events after it.
///
/// The constants are those of the benchmark (W7, a million rows with one index).
enum OpeningCost {
    private static let nanosecondsPerRow = 1_000
    private static let nanosecondsPerChange = 2_000
    private static let nanosecondsPerByte = 3

    /// The nanoseconds to load `count` rows.
    static func ofRows(_ count: Int) -> Int { count * nanosecondsPerRow }

    /// The nanoseconds to read `byteCount` bytes of the log and to fold the changes in them.
    static func ofTail(changeCount: Int, byteCount: Int) -> Int {
        changeCount * nanosecondsPerChange + byteCount * nanosecondsPerByte
    }
}
