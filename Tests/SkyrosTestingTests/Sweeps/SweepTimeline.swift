/// The oracle at each point of a run.
struct SweepTimeline {
    struct Entry {
        /// The number of completed disk operations.
        var operationCount: Int
        var oracle: CrashOracle
        /// Whether the checkpoint was damaged, so that it may be set aside.
        var mayRebuild = false
    }

    private var entries: [Entry] = []

    mutating func note(_ oracle: CrashOracle, operationCount: Int, mayRebuild: Bool = false) {
        entries.append(
            Entry(operationCount: operationCount, oracle: oracle, mayRebuild: mayRebuild))
    }

    /// The entry at a number of completed operations.
    func entry(at operationCount: Int) -> Entry {
        entries.last { $0.operationCount <= operationCount }
            ?? Entry(operationCount: 0, oracle: CrashOracle())
    }
}
