import Testing

/// Each operation of the disk fails, in each way, once or from then on.
@Suite struct `A store whose disk fails at any operation` {
    @Test(arguments: SweepScript.all)
    func `keeps what it acknowledged and takes nothing after a failed sync`(
        script: SweepScript
    ) throws {
        let interval = script.hasCheckpoint ? 40 : 2
        var sweep = FaultSweep(script, interval: SweepTally.isDeep ? 1 : interval)
        try sweep.run()
        sweep.tally.report()
    }
}
