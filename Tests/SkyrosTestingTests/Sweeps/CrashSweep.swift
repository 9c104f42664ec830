import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// Crashes at every operation of a script and opens the store on every disk that may be left. It
/// then crashes that opening in the same way, with one level of depth per budget.
///
/// The script runs once and is recorded. The sweep opens each of several equal disks only once, but
/// compares every one with its oracle.
struct CrashSweep {
    /// A crash: the snapshot and the image that it left.
    private struct Point: CustomStringConvertible {
        let operationCount: Int
        let writtenByteCount: Int?
        let image: CrashImage

        var description: String {
            let place = writtenByteCount.map { " (\($0) bytes into it)" } ?? ""
            return "before operation \(operationCount)\(place): \(image)"
        }
    }

    private struct Recording {
        let snapshots: [SimulatedDisk.DiskSnapshot]
        let timeline: SweepTimeline
    }

    let script: SweepScript
    let budgets: [CrashImage.Budget]
    /// Every `interval`-th snapshot of the script is tried.
    let interval: Int
    private(set) var tally: SweepTally
    /// The batches found on each disk that was opened, by fingerprint.
    private var known: [UInt64: [CrashOracle.Batch]] = [:]
    private var path: [Point] = []

    init(_ script: SweepScript, _ budgets: [CrashImage.Budget], interval: Int = 1) {
        self.script = script
        self.budgets = budgets
        self.interval = interval
        tally = SweepTally("crash points, \(script)")
    }

    /// - Throws: `CrashFinding` with the crash points that led to it.
    mutating func run() throws {
        let run = SweepRun(script)
        run.disk.record()
        try run.play()
        guard run.errorCount == 0 else { throw CrashFinding(description: "the script failed") }
        tally.count("operations", run.disk.operations.count)
        let recording = Recording(snapshots: run.disk.snapshots, timeline: run.timeline)
        run.end()
        do {
            try explore(recording, depth: 1)
        } catch {
            let places = path.map(\.description).joined(separator: "; then ")
            throw CrashFinding(description: "\(script), \(places): \(error)")
        }
    }

    private mutating func explore(_ recording: Recording, depth: Int) throws {
        let budget = budgets[depth - 1]
        let interval = depth == 1 ? interval : 1
        for (index, snapshot) in recording.snapshots.enumerated() where index % interval == 0 {
            tally.count("crash points at depth \(depth)")
            let entry = recording.timeline.entry(at: snapshot.operationCount)
            let before = snapshot.disk
            let images = CrashImage.all(of: snapshot, before, budget)
            for image in images {
                let point = Point(
                    operationCount: snapshot.operationCount,
                    writtenByteCount: snapshot.writtenByteCount, image: image)
                path.append(point)
                try visit(image.disk(before), point, entry, depth: depth)
                path.removeLast()
            }
        }
    }

    private mutating func visit(
        _ image: SimulatedDisk, _ point: Point, _ entry: SweepTimeline.Entry, depth: Int
    ) throws {
        tally.count("images at depth \(depth)")
        var oracle = entry.oracle
        if !point.image.isKill { oracle.notePowerCut() }
        let fingerprint = image.fingerprint
        if let held = known[fingerprint] { return try compare(held, with: oracle) }
        tally.count("different ones")
        // By count, not by fingerprint, which differs between runs: SQLite's journals are random.
        let isFollowed =
            depth < budgets.count
            && UInt64(known.count) % budgets[depth].followedInterval == 0
        if isFollowed { image.record() }
        let store = try open(image)
        // The store would write to its disk when it closes on release.
        defer { withExtendedLifetime(store) { image.inject(Fault(nil, isLasting: true)) } }
        let check = CrashCheck(
            store: store, disk: image, oracle: oracle, mayRebuild: entry.mayRebuild)
        let held = try check.run()
        try checkQuarantine(store, image)
        known[fingerprint] = held
        guard isFollowed else { return }
        let durableCount = point.image.isKill ? oracle.durableCount : held.count
        let next = try continueWriting(
            store, image, held, durableCount: durableCount, mayRebuild: entry.mayRebuild)
        try explore(next, depth: depth + 1)
    }

    private func open(_ disk: any Disk) throws -> Store {
        try Store.forCrashes(on: disk, script.sizes, clock: ManualClock(), seed: 2)
    }

    /// P5: checks that the bytes that were cut off are kept, also after a power cut.
    private func checkQuarantine(_ store: Store, _ image: SimulatedDisk) throws {
        guard store.recovery.cutByteCount > 0 else { return }
        let contents = image.crashed(keeping: 0).contents
        // A header comes before the bytes in each file.
        let kept = store.recovery.quarantined.reduce(0) { $0 + (contents[$1]?.count ?? 96) - 96 }
        guard kept == store.recovery.cutByteCount else {
            throw CrashFinding(
                description: "P5: kept \(kept) of \(store.recovery.cutByteCount) cut bytes")
        }
    }

    /// Compares the batches that an equal disk held with the oracle of this one.
    private func compare(_ held: [CrashOracle.Batch], with oracle: CrashOracle) throws {
        let history = try oracle.history(ofStoreWith: held.count) {
            $0.marker == held.last?.marker
        }
        guard history.map(\.marker) == held.map(\.marker) else {
            throw CrashFinding(description: "P3: the log holds \(held.map(\.marker))")
        }
    }

    /// Writes one more batch to a store that was just opened, and returns the recording since then.
    private func continueWriting(
        _ store: Store, _ image: SimulatedDisk, _ held: [CrashOracle.Batch], durableCount: Int,
        mayRebuild: Bool
    ) throws -> Recording {
        var timeline = SweepTimeline()
        var oracle = CrashOracle(knowing: held, durableCount: durableCount)
        timeline.note(oracle, operationCount: 0, mayRebuild: mayRebuild)
        oracle.noteOpened(held)
        var state = oracle.state
        let item = CrashItem(id: 500 + held.count, number: 500 + held.count, text: "")
        let marker = "one more after \(held.last?.marker ?? "nothing")"
        CrashEdit.insert(item).apply(to: &state)
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state))
        timeline.note(
            oracle, operationCount: image.operations.count, mayRebuild: mayRebuild)
        try store.write(because: marker, durability: .durable) { try $0.insert(item) }
        oracle.noteDurable(held.count + 1)
        timeline.note(
            oracle, operationCount: image.operations.count, mayRebuild: mayRebuild)
        return Recording(snapshots: image.snapshots, timeline: timeline)
    }
}
