import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// Plays a script once per operation and per way in which it can fail, once or from then on, and
/// compares the store that is left with the oracle.
struct FaultSweep {
    let script: SweepScript
    /// Every `interval`-th operation is tried.
    let interval: Int
    private(set) var tally: SweepTally

    init(_ script: SweepScript, interval: Int = 1) {
        self.script = script
        self.interval = interval
        tally = SweepTally("faults, \(script)")
    }

    /// - Throws: `CrashFinding` with the operation and the fault.
    mutating func run() throws {
        let reference = SweepRun(script)
        try reference.play()
        let operations = reference.disk.operations
        reference.end()
        tally.count("operations", operations.count)
        var counts: [SimulatedDisk.Kind: Int] = [:]
        for (index, operation) in operations.enumerated() {
            let before = counts[operation.kind, default: 0]
            counts[operation.kind] = before + 1
            guard index % interval == 0 else { continue }
            for fault in Self.faults(operation.kind, after: before) {
                do {
                    try play(with: [fault], ending: index)
                } catch {
                    let place = "operation \(index), \(operation.kind) of \(operation.path)"
                    throw CrashFinding(description: "\(script), \(place), \(fault): \(error)")
                }
            }
        }
    }

    /// Fails two operations, the second among the five after the first, so while the first failure
    /// is being handled.
    ///
    /// - Throws: `CrashFinding` with both operations.
    mutating func runPairs() throws {
        tally = SweepTally("pairs of faults, \(script)")
        let reference = SweepRun(script)
        try reference.play()
        let count = reference.disk.operations.count
        reference.end()
        for index in stride(from: 0, to: count, by: interval) {
            for distance in 0..<5 {
                let reasons: [Fault.Reason] = [.inputOutput, .noSpace]
                for (first, second) in reasons.flatMap({ a in reasons.map { (a, $0) } }) {
                    // The second fault does not count the operation that the first one fails.
                    let faults = [
                        Fault(nil, after: index, reason: first),
                        Fault(nil, after: index + distance, reason: second),
                    ]
                    do {
                        try play(with: faults, ending: index)
                    } catch {
                        let place = "operation \(index) and the one \(distance + 1) later"
                        throw CrashFinding(
                            description: "\(script), \(place), \(first), \(second): \(error)")
                    }
                }
            }
        }
    }

    /// The ways in which an operation can fail.
    static func faults(_ kind: SimulatedDisk.Kind, after: Int) -> [Fault] {
        let needsSpace: Set<SimulatedDisk.Kind> = [
            .makeDirectory, .create, .write, .preallocate, .truncate, .syncFile, .syncDirectory,
            .rename,
        ]
        let reasons: [Fault.Reason] =
            needsSpace.contains(kind) ? [.inputOutput, .noSpace] : [.inputOutput]
        let writtenCounts = kind == .write ? [0, 1, 50, 1_000_000] : [0]
        return reasons.flatMap { reason in
            [false, true].flatMap { isLasting in
                writtenCounts.map { count in
                    Fault(
                        kind, after: after, reason: reason, isLasting: isLasting,
                        writtenBytes: count)
                }
            }
        }
    }

    private mutating func play(with faults: [Fault], ending: Int) throws {
        tally.count("runs")
        let run = SweepRun(script)
        for fault in faults { run.disk.inject(fault) }
        defer { run.end() }
        try run.play()
        tally.count("errors", run.errorCount)
        run.disk.heal()
        try checkKilled(run)
        try checkPowerCuts(run, seed: UInt64(ending))
        try checkClosed(run)
    }

    /// Opens the store after a kill, writes durably, and opens it again after a power cut.
    private mutating func checkKilled(_ run: SweepRun) throws {
        let killed = run.disk.killed()
        var held: [CrashOracle.Batch] = []
        try open(killed, run, run.oracle) { store, batches in
            held = batches
            try store.write(because: "one more", durability: .durable) {
                try $0.insert(CrashItem(id: 500, number: 500, text: ""))
            }
        }
        var oracle = CrashOracle(knowing: held)
        var state = oracle.state
        state[500] = CrashItem(id: 500, number: 500, text: "")
        oracle.attempt(CrashOracle.Batch(marker: "one more", state: state))
        oracle.noteDurable(held.count + 1)
        try open(killed.crashed(keeping: 0), run, oracle)
    }

    private mutating func checkPowerCuts(_ run: SweepRun, seed: UInt64) throws {
        var oracle = run.oracle
        oracle.notePowerCut()
        for image: CrashImage in [.changes(0), .changes(.max), .seeded(seed)] {
            try open(image.disk(run.disk), run, oracle)
        }
    }

    /// The process continues and closes the store; another one opens it.
    private mutating func checkClosed(_ run: SweepRun) throws {
        try run.close()
        try open(run.disk.killed(), run, run.oracle)
    }

    /// Opens the store on a disk, which must succeed, and compares it with the oracle.
    private mutating func open(
        _ image: SimulatedDisk, _ run: SweepRun, _ oracle: CrashOracle,
        _ body: (Store, [CrashOracle.Batch]) throws -> Void = { _, _ in }
    ) throws {
        tally.count("openings")
        let store = try Store.forCrashes(
            on: image, script.sizes, clock: ManualClock(), seed: 2)
        let check = CrashCheck(
            store: store, disk: image, oracle: oracle,
            mayRebuild: run.isCheckpointDamaged || run.disk.hasLostJournal)
        try body(store, check.run())
        // The store must not change the disk when it closes on release.
        image.inject(Fault(nil, isLasting: true))
        withExtendedLifetime(store) {}
    }
}
