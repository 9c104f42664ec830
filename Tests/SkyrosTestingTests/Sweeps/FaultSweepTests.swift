import TestSupport
import Testing

/// Each operation of the disk fails, in each way, once or from then on.
@Suite struct `A store whose disk fails at any operation` {
    @Test(arguments: [SweepScript.rolling, .clearing, .beginning])
    func `keeps what it acknowledged and takes nothing after a failed sync`(
        script: SweepScript
    ) throws {
        var sweep = FaultSweep(script, interval: Extent.pick(brief: 11, quick: 2, deep: 1))
        try sweep.run()
        sweep.tally.report()
    }

    @Test func `keeps it too if a checkpoint fails, which is the old one then or the new`() throws {
        var sweep = FaultSweep(.checkpointing, interval: Extent.pick(brief: 83, quick: 8, deep: 1))
        try sweep.run()
        sweep.tally.report()
    }
}
