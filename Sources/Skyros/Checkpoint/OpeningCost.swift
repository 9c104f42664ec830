/// What opening a store costs, by estimate: the rows of its checkpoint are loaded, and the events
/// behind that are folded.
///
/// The figures are those of docs/performance.md, measured on a small server.
enum OpeningCost {
    private static let nanosecondsPerRow = 2_300
    private static let nanosecondsPerChange = 2_000
    private static let nanosecondsPerByte = 3

    /// Loading so many rows, in nanoseconds.
    static func ofRows(_ count: Int) -> Int { count * nanosecondsPerRow }

    /// Reading so many bytes of the log and folding the changes in them, in nanoseconds.
    static func ofTail(changeCount: Int, byteCount: Int) -> Int {
        changeCount * nanosecondsPerChange + byteCount * nanosecondsPerByte
    }
}
