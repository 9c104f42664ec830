/// What was known of a store at each snapshot of a run.
struct SweepTimeline {
    struct Entry {
        /// How many operations of the disk had been done.
        var operationCount: Int
        var oracle: CrashOracle
        /// Whether the checkpoint has been damaged, so that it may be set aside.
        var mayRebuild = false
    }

    private var entries: [Entry] = []

    mutating func note(_ oracle: CrashOracle, operationCount: Int, mayRebuild: Bool = false) {
        entries.append(
            Entry(operationCount: operationCount, oracle: oracle, mayRebuild: mayRebuild))
    }

    /// What was known when so many operations had been done.
    func entry(at operationCount: Int) -> Entry {
        entries.last { $0.operationCount <= operationCount }
            ?? Entry(operationCount: 0, oracle: CrashOracle())
    }
}
