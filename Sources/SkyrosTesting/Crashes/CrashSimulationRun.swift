import Skyros
import SkyrosDisk

/// One run of a simulation: the lives of one store.
struct CrashSimulationRun {
    private static let lifeCount = 3
    private static let stepCountMax = 24

    private let simulation: CrashSimulation
    private let choices: Choices
    private let clock = ManualClock()
    private var disk = SimulatedDisk()
    private var witness = CrashWitness()
    private var tally = CrashTally()
    private var story: [String] = []

    init(of simulation: CrashSimulation, _ choices: Choices) {
        self.simulation = simulation
        self.choices = choices
    }

    /// - Throws: `CrashFailure`.
    mutating func run() throws -> CrashTally {
        do {
            for life in 1...Self.lifeCount {
                story.append("life \(life)")
                var store: Store? = try openThroughCrashes()
                if let store { try live(store) }
                store = nil
                crash()
            }
            try check(open())
        } catch let error as CrashFailure {
            throw error
        } catch {
            throw failure("the store fails although its disk does not: \(error)")
        }
        tally.runs = 1
        return tally
    }

    private func failure(_ problem: String) -> CrashFailure {
        CrashFailure(problem: problem, steps: story)
    }
}

// MARK: Opening and crashing

extension CrashSimulationRun {
    private func open() throws -> Store {
        var options = simulation.options
        options.syncInterval = .milliseconds(3_600_000)
        options.openingTarget = .milliseconds(3_600_000)
        return try Store.simulated(
            simulation.entities, options,
            Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: choices.next())))
    }

    private mutating func openThroughCrashes() throws -> Store {
        for _ in 0..<3 where choices(3) == 0 {
            let after = choices(40)
            story.append("an opening; everything fails from its operation \(after + 1) on")
            disk.inject(Fault(nil, after: after, isLasting: true))
            do {
                let store = try open()
                disk.heal()
                try check(store)
            } catch let error as StoreError {
                tally.failedOpenings += 1
                try expectNoDamage(error)
            }
            crash()
        }
        let store = try open()
        try check(store)
        return store
    }

    /// Kills the process or cuts the power, and goes on with what is left.
    private mutating func crash() {
        let isKill = choices(4) == 0
        let old = disk
        disk = isKill ? old.killed() : old.crashed(seed: choices.next())
        story.append(
            "\(isKill ? "a kill" : "a power cut") after \(old.operations.count) operations")
        if isKill {
            tally.kills += 1
        } else {
            tally.powerCuts += 1
            witness.notePowerCut()
        }
        // The old store is closed in vain when it goes.
        old.inject(Fault(nil, isLasting: true))
    }

    private mutating func check(_ store: Store) throws {
        story.append("  opened at \(store.sequence)")
        if let problem = try witness.problem(with: store, on: disk) { throw failure(problem) }
        try checkConditions(store)
        try witness.noteOpened(store)
    }

    private func checkConditions(_ store: Store) throws {
        let state = store.snapshot
        for condition in simulation.conditions where try !condition.holds(state) {
            throw failure("\"\(condition.name)\" does not hold at event \(state.sequence)")
        }
    }

    /// A disk that fails is not taken for damage.
    private func expectNoDamage(_ error: StoreError) throws {
        let damage: Set<StoreError.Code> = [
            .logCorrupt, .chainBroken, .segmentMissing, .foreignStore, .invalidEvent,
            .logBehindCheckpoint, .unsupportedFormat,
        ]
        if damage.contains(error.code) {
            throw failure("a failing disk is taken for damage: \(error)")
        }
    }
}

// MARK: Living

extension CrashSimulationRun {
    /// Works until something fails, or long enough.
    private mutating func live(_ store: Store) throws {
        injectFault()
        for _ in 0..<choices(Self.stepCountMax) {
            clock.advance(byMicroseconds: Int64(choices(2_000)) - 500)
            do {
                try maintain(store)
                tally.steps += 1
                story.append("  step \(tally.steps)")
                try simulation.step(store, choices)
                try witness.noteStep(store, hasFailed: false)
                try checkConditions(store)
            } catch let error as StoreError {
                tally.failedSteps += 1
                story.append("  fails: \(error.code)")
                try witness.noteStep(store, hasFailed: true)
                guard !disk.failures.isEmpty else {
                    throw failure("a step fails although the disk does not: \(error)")
                }
                try expectNoDamage(error)
                // Whether to go on after an error is for the user's code to decide, too.
                if choices(2) == 0 { return }
            } catch let error as CrashFailure {
                throw error
            } catch {
                throw failure("a step throws what is no error of a store: \(error)")
            }
        }
    }

    /// Now and then what a store does in the background by itself.
    private mutating func maintain(_ store: Store) throws {
        switch choices(12) {
        case 0:
            story.append("  the oldest segment is sealed")
            try store.run(.seal)
        case 1:
            story.append("  an idle mark")
            try store.run(.mark)
        case 2:
            story.append("  a checkpoint")
            try store.run(.checkpoint)
        default: break
        }
    }

    /// Mostly nothing works any more from some operation on, which is a crash at that moment;
    /// else one operation fails and the disk goes on.
    private mutating func injectFault() {
        let after = choices(60)
        let fault =
            switch choices(8) {
            case 0: Fault(.syncFile, after: after / 8)
            case 1: Fault(.syncDirectory, after: after / 16)
            case 2: Fault(.write, after: after / 4, reason: .noSpace, writtenBytes: choices(64))
            default: Fault(nil, after: after, isLasting: true, writtenBytes: choices(600))
            }
        disk.inject(fault)
        let kind = fault.kind.map { "one \($0.rawValue)" } ?? "everything"
        story.append("  \(kind) fails after \(fault.after) that do not")
    }
}
