import Testing

/// The world stops at every operation of the disk.
@Suite struct `A store that is stopped at any operation` {
    private static var budgets: [CrashImage.Budget] {
        guard SweepTally.isDeep else {
            return [
                CrashImage.Budget(seedCount: 4),
                CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1, followedInterval: 32),
            ]
        }
        return [
            CrashImage.Budget(exhaustiveCountMax: 8, seedCount: 16),
            CrashImage.Budget(exhaustiveCountMax: 4),
            CrashImage.Budget(exhaustiveCountMax: 2, seedCount: 1, followedInterval: 64),
        ]
    }

    @Test(arguments: [SweepScript.rolling, .clearing, .beginning])
    func `holds all that was acknowledged, on every disk that may be left`(
        script: SweepScript
    ) throws {
        var sweep = CrashSweep(script, Self.budgets)
        try sweep.run()
        sweep.tally.report()
    }

    @Test func `holds it too inside its checkpoints, which are the old ones or the new`() throws {
        let budgets =
            SweepTally.isDeep
            ? [
                CrashImage.Budget(exhaustiveCountMax: 5, seedCount: 4),
                CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1, followedInterval: 64),
            ] : [CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 2)]
        let interval = SweepTally.isDeep ? 1 : 2
        var sweep = CrashSweep(.checkpointing, budgets, interval: interval)
        try sweep.run()
        sweep.tally.report()
    }
}
