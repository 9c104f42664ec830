import SkyrosDisk
import SkyrosTesting

@testable import Skyros

/// Stops the world at every operation of a script, opens the store on every disk that may be left,
/// and does the same to that opening, as deep as there are budgets.
///
/// The script runs once and is recorded. Disks that nobody can tell apart are opened once; what a
/// store must hold on them is compared each time.
struct CrashSweep {
    /// A crash: at which moment, and what it left.
    private struct Point: CustomStringConvertible {
        let operationCount: Int
        let writtenByteCount: Int?
        let image: CrashImage
        let checkpoint: String?

        var description: String {
            let place = writtenByteCount.map { " (\($0) bytes into it)" } ?? ""
            let kept = checkpoint.map { ", with \($0)" } ?? ""
            return "before operation \(operationCount)\(place): \(image)\(kept)"
        }
    }

    private struct Recording {
        let moments: [SimulatedDisk.Moment]
        let timeline: SweepTimeline
        /// Where the checkpoints are.
        let disk: any Disk
        var mayRebuild = false
    }

    /// What tells two crashes apart for the next opening.
    private struct Situation: Hashable {
        let fingerprint: UInt64
        let checkpoint: String?
    }

    let script: SweepScript
    let budgets: [CrashImage.Budget]
    private(set) var tally: SweepTally
    private var known: [Situation: [CrashOracle.Batch]] = [:]
    private var path: [Point] = []

    init(_ script: SweepScript, _ budgets: [CrashImage.Budget]) {
        self.script = script
        self.budgets = budgets
        tally = SweepTally("crash points, \(script)")
    }

    /// - Throws: `CrashFinding` that says where.
    mutating func run() throws {
        let run = try SweepRun(script)
        run.simulated.record()
        try run.play()
        guard run.errorCount == 0 else { throw CrashFinding(description: "the script failed") }
        tally.count("operations", run.simulated.operations.count)
        let recording = Recording(
            moments: run.simulated.moments, timeline: run.timeline, disk: run.disk,
            mayRebuild: run.isCheckpointSpoiled)
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
        for moment in recording.moments {
            tally.count("stops at depth \(depth)")
            let entry = recording.timeline.entry(at: moment.operationCount)
            let before = moment.disk
            let images = CrashImage.all(of: moment, before, budget)
            for (index, image) in images.enumerated() {
                let checkpoints = entry.checkpoints + [nil]
                let point = Point(
                    operationCount: moment.operationCount,
                    writtenByteCount: moment.writtenByteCount, image: image,
                    checkpoint: checkpoints[index % checkpoints.count])
                path.append(point)
                try visit(image.disk(before), point, entry.oracle, recording, depth: depth)
                path.removeLast()
            }
        }
    }

    private mutating func visit(
        _ image: SimulatedDisk, _ point: Point, _ expected: CrashOracle, _ recording: Recording,
        depth: Int
    ) throws {
        tally.count("images at depth \(depth)")
        var oracle = expected
        if !point.image.isKill { oracle.notePowerCut() }
        let situation = Situation(
            fingerprint: image.fingerprint, checkpoint: point.checkpoint)
        if let held = known[situation] { return try compare(held, with: oracle) }
        tally.count("different ones")
        let isFollowed =
            depth < budgets.count
            && situation.fingerprint % budgets[depth].followedInterval == 0
        if isFollowed { image.record() }
        var disk: any Disk = image
        if let checkpointed = recording.disk as? CheckpointedDisk {
            disk = try checkpointed.crashed(to: image, keeping: point.checkpoint)
        }
        let store = try open(disk)
        // A store that is closed when it goes would write to its disk.
        defer { withExtendedLifetime(store) { image.inject(Fault(nil, isLasting: true)) } }
        let check = CrashCheck(
            store: store, disk: disk, oracle: oracle, mayRebuild: recording.mayRebuild)
        let held = try check.run()
        try checkQuarantine(store, image)
        known[situation] = held
        guard isFollowed else { return }
        let durableCount = point.image.isKill ? oracle.durableCount : held.count
        let next = try goOn(store, image, held, durableCount: durableCount)
        try explore(next, depth: depth + 1)
    }

    private func open(_ disk: any Disk) throws -> Store {
        try Store.forCrashes(
            on: disk, segmentBytesMax: script.segmentBytesMax, clock: ManualClock(), seed: 2)
    }

    /// P5: what was cut off is kept, and survives the next power cut.
    private func checkQuarantine(_ store: Store, _ image: SimulatedDisk) throws {
        guard store.recovery.cutByteCount > 0 else { return }
        let contents = image.crashed(keeping: 0).contents
        let kept = store.recovery.quarantined.reduce(0) { $0 + (contents[$1]?.count ?? 0) }
        guard kept == store.recovery.cutByteCount else {
            throw CrashFinding(
                description: "P5: \(kept) of \(store.recovery.cutByteCount) bytes are kept")
        }
    }

    /// What an image held when it was opened the last time, against what it must hold this time.
    private func compare(_ held: [CrashOracle.Batch], with oracle: CrashOracle) throws {
        let history = try oracle.history(ofStoreWith: held.count) {
            $0.marker == held.last?.marker
        }
        guard history.map(\.marker) == held.map(\.marker) else {
            throw CrashFinding(description: "P3: the log holds \(held.map(\.marker))")
        }
    }

    /// Writes one more batch to a store that was just opened, and returns how it came to that.
    private func goOn(
        _ store: Store, _ image: SimulatedDisk, _ held: [CrashOracle.Batch], durableCount: Int
    ) throws -> Recording {
        var timeline = SweepTimeline()
        var oracle = CrashOracle(knowing: held, durableCount: durableCount)
        timeline.note(oracle, operationCount: 0)
        oracle.noteOpened(held)
        var state = oracle.state
        let item = CrashItem(id: 500 + held.count, number: 500 + held.count, text: "")
        let marker = "one more after \(held.last?.marker ?? "nothing")"
        CrashEdit.insert(item).apply(to: &state)
        oracle.attempt(CrashOracle.Batch(marker: marker, state: state))
        timeline.note(oracle, operationCount: image.operations.count)
        try store.write(because: marker, durability: .durable) { try $0.insert(item) }
        oracle.noteDurable(held.count + 1)
        timeline.note(oracle, operationCount: image.operations.count)
        return Recording(moments: image.moments, timeline: timeline, disk: image)
    }
}
