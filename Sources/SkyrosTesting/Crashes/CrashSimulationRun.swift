import Skyros
import SkyrosDisk

/// One run of a simulation: several sessions of one store, each ended by a crash.
struct CrashSimulationRun {
    private static let sessionCount = 3
    private static let stepCountMax = 24

    private let simulation: CrashSimulation
    private let choices: Choices
    /// In half of the runs, segments are sealed before they are full, and merged.
    private let sealThresholdBytes: Int
    private let clock = ManualClock()
    private var disk = SimulatedDisk()
    private var witness = CrashWitness()
    private var tally = CrashTally()
    private var trace: [String] = []

    init(of simulation: CrashSimulation, _ choices: Choices) {
        self.simulation = simulation
        self.choices = choices
        sealThresholdBytes = choices(2) == 0 ? simulation.options.sealThresholdBytes : choices(400)
    }

    /// Runs all sessions; throws `CrashFailure`.
    mutating func run() throws -> CrashTally {
        do {
            for session in 1...Self.sessionCount {
                trace.append("session \(session)")
                var store: Store? = try openThroughCrashes()
                if let store { try work(on: store) }
                store = nil
                crash()
            }
            try check(open())
        } catch let error as CrashFailure {
            throw error
        } catch {
            throw failure("the store failed although its disk did not: \(error)")
        }
        tally.runs = 1
        return tally
    }

    private func failure(_ problem: String) -> CrashFailure {
        CrashFailure(problem: problem, steps: trace)
    }
}

// MARK: Opening and crashing

extension CrashSimulationRun {
    private func open() throws -> Store {
        var options = simulation.options
        options.syncInterval = .milliseconds(3_600_000)
        options.openingTarget = .milliseconds(3_600_000)
        options.sealThresholdBytes = sealThresholdBytes
        return try Store.simulated(
            simulation.entities, options,
            Environment(disk: disk, clock: clock, entropy: SeededEntropy(seed: choices.next())))
    }

    private mutating func openThroughCrashes() throws -> Store {
        for _ in 0..<3 where choices(3) == 0 {
            let after = choices(40)
            trace.append("an opening in which all operations fail, from number \(after + 1) on")
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

    /// Simulates a kill or a power cut, and continues with the disk that is left.
    private mutating func crash() {
        let isKill = choices(4) == 0
        let old = disk
        disk = isKill ? old.killed() : old.crashed(seed: choices.next())
        trace.append(
            "\(isKill ? "a kill" : "a power cut") after \(old.operations.count) operations")
        if isKill {
            tally.kills += 1
        } else {
            tally.powerCuts += 1
            witness.notePowerCut()
        }
        // The old store closes when it is released; its operations must have no effect.
        old.inject(Fault(nil, isLasting: true))
    }

    private mutating func check(_ store: Store) throws {
        trace.append("  opened at event \(store.sequence)")
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

    /// Checks that a failed disk operation was not reported as damage.
    private func expectNoDamage(_ error: StoreError) throws {
        if Self.damage.contains(error.code) {
            throw failure("a failed disk operation was reported as damage: \(error)")
        }
    }

    private static let damage: Set<StoreError.Code> = [
        .logCorrupt, .chainBroken, .segmentMissing, .foreignStore, .invalidEvent,
        .logBehindCheckpoint, .unsupportedFormat,
    ]

    /// What cannot happen on a disk that works.
    private static let diskErrors = damage.union([
        .io, .diskFull, .durabilityLost, .checkpointFailed, .historyIndexFailed,
    ])
}

// MARK: Working

extension CrashSimulationRun {
    /// Runs a random number of steps, or until one fails.
    private mutating func work(on store: Store) throws {
        injectFault()
        for _ in 0..<choices(Self.stepCountMax) {
            clock.advance(byMicroseconds: Int64(choices(2_000)) - 500)
            do {
                try maintain(store)
                tally.steps += 1
                trace.append("  step \(tally.steps)")
                try simulation.step(store, choices)
                try witness.noteStep(store, hasFailed: false)
                try checkConditions(store)
            } catch let error as StoreError {
                tally.failedSteps += 1
                trace.append("  failed: \(error.code)")
                let isHealthy = disk.failures.isEmpty
                try witness.noteStep(store, hasFailed: !isHealthy)
                if isHealthy, Self.diskErrors.contains(error.code) {
                    throw failure("a step failed although the disk did not: \(error)")
                }
                try expectNoDamage(error)
                // An app may stop or continue after an error.
                if choices(2) == 0 { return }
            } catch let error as CrashFailure {
                throw error
            } catch {
                throw failure("a step threw an error that is not a StoreError: \(error)")
            }
        }
    }

    /// Sometimes runs one step of the background maintenance, which is otherwise idle.
    private mutating func maintain(_ store: Store) throws {
        switch choices(12) {
        case 0:
            trace.append("  the oldest segment is sealed")
            try store.run(.seal)
        case 1:
            trace.append("  an idle mark")
            try store.run(.mark)
        case 2:
            trace.append("  a checkpoint")
            try store.run(.checkpoint)
        case 3:
            trace.append("  a pause, after which the newest segment ends")
            try store.run(.endSegment)
        case 4:
            trace.append("  small segments are merged")
            try store.run(.merge)
        default: break
        }
    }

    /// Mostly, all operations fail from a random one on, as in a crash at that moment. Otherwise
    /// only one operation fails.
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
        trace.append("  \(kind) fails after \(fault.after) successful ones")
    }
}
