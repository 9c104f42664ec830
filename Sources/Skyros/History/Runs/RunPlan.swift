/// Decides which runs are merged: eight of one level to one of the next.
///
/// Levels are sizes of the log that a run covers: 1 MiB, 8, 64, 512, and so on.
enum RunPlan {
    /// A run is made of at least this much log.
    static let logBytesMin = 1 << 20
    /// And of at most this much, all of which is in memory then.
    static let logBytesMax = 16 << 20
    private static let runsPerLevel = 8

    /// The level of a run.
    static func level(logByteCount: Int) -> Int {
        var (level, bound) = (0, logBytesMin * runsPerLevel)
        while logByteCount >= bound, level < 20 {
            (level, bound) = (level + 1, bound * runsPerLevel)
        }
        return level
    }

    /// The runs to merge next, of neighbours with these sizes; nil if nothing is due.
    ///
    /// The newest ones come first: they are the smallest.
    static func next(logByteCounts: [Int]) -> Range<Int>? {
        let levels = logByteCounts.map { level(logByteCount: $0) }
        var end = levels.count
        while end > 0 {
            var start = end
            while start > 0, levels[start - 1] == levels[end - 1] { start -= 1 }
            if end - start >= runsPerLevel { return start..<(start + runsPerLevel) }
            end = start
        }
        return nil
    }
}
