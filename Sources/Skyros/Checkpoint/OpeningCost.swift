/// Estimates of the time to open a store.
enum OpeningCost {
    // Those of the benchmark: W7, a million rows with one index.
    private static let nanosecondsPerChange = 2_000
    private static let nanosecondsPerByte = 3

    /// The nanoseconds to read `byteCount` bytes of the log and to fold the changes in them.
    static func ofTail(changeCount: Int, byteCount: Int) -> Int {
        changeCount * nanosecondsPerChange + byteCount * nanosecondsPerByte
    }

    /// What an opening does beside reading, in milliseconds: it takes the lock, and syncs a block.
    private static let fixedMilliseconds = 5

    /// The milliseconds of an opening whose reading took `microseconds`.
    static func milliseconds(measured microseconds: Int64) -> Int {
        Int(max(0, microseconds) / 1_000) + fixedMilliseconds
    }
}
