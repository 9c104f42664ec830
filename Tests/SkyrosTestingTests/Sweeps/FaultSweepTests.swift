import TestSupport
import Testing

/// Fails each operation of the disk in each possible way, once or from then on.
@Suite(.long) struct `A store whose disk fails at any operation` {
    @Test(arguments: [
        SweepScript.rolling, .clearing, .beginning, .merging, .indexing, .pruning,
    ])
    func `stops after a failed sync, and loses nothing (F13, F15, F16, F18, F20)`(
        script: SweepScript
    ) throws {
        var sweep = FaultSweep(script, interval: Extent.pick(brief: 11, quick: 2, deep: 1))
        try sweep.run()
        sweep.tally.report()
    }

    @Test(arguments: [
        SweepScript.rolling, .clearing, .beginning, .merging, .indexing, .pruning,
    ])
    func `loses nothing if a second operation fails soon after (F23)`(script: SweepScript) throws {
        var sweep = FaultSweep(script, interval: Extent.pick(brief: 53, quick: 16, deep: 1))
        try sweep.runPairs()
        sweep.tally.report()
    }

    @Test func `loses nothing if a checkpoint fails, and has the old one or the new (F17)`() throws
    {
        var sweep = FaultSweep(.checkpointing, interval: Extent.pick(brief: 83, quick: 8, deep: 1))
        try sweep.run()
        sweep.tally.report()
    }
}
