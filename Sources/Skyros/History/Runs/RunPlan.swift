import SkyrosLog

/// Decides which runs are merged: eight neighbours of about the same size, which span no more time
/// together than one run may.
///
/// So at rest there are about seven of each size at most, and each byte was written again about
/// once for each of the sizes 8, 64, 512 MiB, and so on.
enum RunPlan {
    /// A run is made of at least this much log.
    static let logBytesMin = 1 << 20
    /// And of this much while the app writes, which the work slows down if no processor is free.
    /// Runs of this size are merged less often.
    static let logBytesMinBusy = 8 << 20
    /// And of at most this much, all of which is in memory then.
    static let logBytesMax = 16 << 20
    private static let runsPerMerge = 8

    /// What the plan knows of a run.
    struct Run {
        /// The size of its events in the log.
        var logByteCount: Int
        /// From its first event to its last.
        var times = TimeSpan(from: 0, through: 0)
    }

    /// The level of a run: 0 below 8 MiB of log, 1 below 64 MiB, and so on.
    static func level(logByteCount: Int) -> Int {
        var (level, size) = (0, logByteCount / logBytesMin)
        while size >= runsPerMerge { (level, size) = (level + 1, size / runsPerMerge) }
        return level
    }

    /// The runs to merge next, of these neighbours; nil if nothing is due.
    ///
    /// The newest ones come first: they are the smallest.
    ///
    /// - Parameter timeSpanMax: what a merged run may span, in microseconds; nil for any time.
    static func next(in runs: [Run], timeSpanMax: Int64?) -> Range<Int>? {
        guard runs.count >= runsPerMerge else { return nil }
        return (runsPerMerge...runs.count).reversed().lazy
            .map { $0 - runsPerMerge..<$0 }
            .first { mayJoin(runs[$0], timeSpanMax) && isDue(runs[$0].map(\.logByteCount)) }
    }

    private static func mayJoin(_ runs: ArraySlice<Run>, _ timeSpanMax: Int64?) -> Bool {
        guard let first = runs.first, let last = runs.last else { return false }
        return first.times.joined(with: last.times).fits(timeSpanMax)
    }

    private static func isDue(_ sizes: [Int]) -> Bool {
        let levels = sizes.map { level(logByteCount: $0) }
        if levels.min() == levels.max() { return true }
        // Bursts of writes leave large runs between small ones.
        let largest = sizes.max() ?? 0
        return largest <= sizes.reduce(0, +) - largest
    }
}
