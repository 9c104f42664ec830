/// What was known of a store at each moment of a run.
struct SweepTimeline {
    struct Entry {
        /// How many operations of the disk had been done.
        var operationCount: Int
        var oracle: CrashOracle
        /// The copies of the checkpoint that a crash may leave, as it was then and before.
        var checkpoints: [String?] = []
    }

    private var entries: [Entry] = []
    private var checkpoints: [String?] = []

    mutating func note(_ oracle: CrashOracle, operationCount: Int) {
        entries.append(
            Entry(operationCount: operationCount, oracle: oracle, checkpoints: checkpoints))
    }

    /// From the next entry on this is the checkpoint.
    mutating func note(checkpoint: String?) {
        if checkpoints.last != checkpoint { checkpoints = checkpoints.suffix(1) + [checkpoint] }
    }

    /// What was known when so many operations had been done.
    func entry(at operationCount: Int) -> Entry {
        entries.last { $0.operationCount <= operationCount }
            ?? Entry(operationCount: 0, oracle: CrashOracle())
    }
}
