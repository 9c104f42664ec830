import SkyrosTesting
import TestSupport
import Testing

/// Crashes at every operation of the disk.
@Suite(.long) struct `A store that crashes at any operation` {
    private static let budgets = Extent.pick(
        brief: [CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1)],
        quick: [
            CrashImage.Budget(seedCount: 4),
            CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1, followedInterval: 32),
        ],
        deep: [
            CrashImage.Budget(exhaustiveCountMax: 8, seedCount: 16),
            CrashImage.Budget(exhaustiveCountMax: 4),
            CrashImage.Budget(exhaustiveCountMax: 2, seedCount: 1, followedInterval: 64),
        ])

    @Test(arguments: [
        SweepScript.rolling, .clearing, .beginning, .merging, .indexing, .pruning,
    ])
    func `holds all acknowledged events (F2, F4, F5, F6, F8, F9, F10, F12, F57)`(
        script: SweepScript
    ) throws {
        var sweep = CrashSweep(script, Self.budgets)
        try sweep.run()
        sweep.tally.report()
    }

    /// Otherwise the sweeps of this script would try nothing new.
    @Test func `has sealed and merged in the script that is about it`() throws {
        let run = SweepRun(.merging)
        try run.play()
        let paths = run.disk.operations.filter { $0.kind == .remove }.map(\.path)
        run.end()
        #expect(paths.count { $0.hasSuffix(".open") } > 5)
        #expect(paths.count { $0.hasSuffix(".zst") } > 4)
    }

    /// As above.
    @Test func `has merged runs in the script that is about them`() throws {
        let run = SweepRun(.indexing)
        try run.play()
        let operations = run.disk.operations.filter { $0.path.hasPrefix("history/") }
        run.end()
        #expect(operations.count { $0.kind == .rename } == 10)
        #expect(operations.count { $0.kind == .remove } == 8)
    }

    /// As above.
    @Test func `has pruned in the script that is about that`() throws {
        let run = SweepRun(.pruning)
        try run.play()
        let operations = run.disk.operations.filter { $0.path.hasPrefix("events/") }
        run.end()
        #expect(operations.count { $0.kind == .remove && $0.path.hasSuffix(".floor") } >= 2)
        #expect(operations.count { $0.kind == .remove && $0.path.hasSuffix(".zst") } >= 3)
    }

    @Test func `holds all acknowledged events and the old or new checkpoint (F56)`() throws {
        let few = [CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 2)]
        let many = [
            CrashImage.Budget(exhaustiveCountMax: 5, seedCount: 4),
            CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1, followedInterval: 64),
        ]
        let budgets = Extent.pick(brief: few, quick: few, deep: many)
        let interval = Extent.pick(brief: 17, quick: 2, deep: 1)
        var sweep = CrashSweep(.checkpointing, budgets, interval: interval)
        try sweep.run()
        sweep.tally.report()
    }
}
