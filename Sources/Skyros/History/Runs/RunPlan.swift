/// Decides which runs are merged: eight neighbours of about the same size.
///
/// So at rest there are about seven of each size at most, and each byte was written again about
/// once for each of the sizes 8, 64, 512 MiB, and so on.
enum RunPlan {
    /// A run is made of at least this much log.
    static let logBytesMin = 1 << 20
    /// And of at most this much, all of which is in memory then.
    static let logBytesMax = 16 << 20
    private static let runsPerMerge = 8

    /// The level of a run: 0 below 8 MiB of log, 1 below 64 MiB, and so on.
    static func level(logByteCount: Int) -> Int {
        var (level, size) = (0, logByteCount / logBytesMin)
        while size >= runsPerMerge { (level, size) = (level + 1, size / runsPerMerge) }
        return level
    }

    /// The runs to merge next, of neighbours with these sizes; nil if nothing is due.
    ///
    /// The newest ones come first: they are the smallest.
    static func next(logByteCounts sizes: [Int]) -> Range<Int>? {
        guard sizes.count >= runsPerMerge else { return nil }
        return (runsPerMerge...sizes.count).reversed().lazy
            .map { $0 - runsPerMerge..<$0 }
            .first { isDue(sizes[$0]) }
    }

    private static func isDue(_ sizes: ArraySlice<Int>) -> Bool {
        let levels = sizes.map { level(logByteCount: $0) }
        if levels.min() == levels.max() { return true }
        // Bursts of writes leave large runs between small ones.
        let largest = sizes.max() ?? 0
        return largest <= sizes.reduce(0, +) - largest
    }
}
