/// The failure of a simulated run: what is wrong with the store, and the steps that led to it.
public struct CrashFailure: Error, CustomStringConvertible {
    /// The seed of the run; nil if its choices were given.
    public internal(set) var seed: UInt64?
    /// What is wrong.
    public let problem: String
    /// The trace of the run from its start to the failure, shrunk to few steps.
    public let steps: [String]

    /// The seed, the problem, and the steps, a line each.
    public var description: String {
        let origin = seed.map { "seed \($0): " } ?? ""
        return ([origin + problem] + steps).joined(separator: "\n")
    }
}

/// Counts what a simulation has tried.
public struct CrashTally: Hashable, Sendable {
    /// The number of runs, one per seed.
    public internal(set) var runs = 0
    /// The number of steps that were begun.
    public internal(set) var steps = 0
    /// The number of steps that failed with a `StoreError`.
    public internal(set) var failedSteps = 0
    /// The number of simulated kills of the process.
    public internal(set) var kills = 0
    /// The number of simulated power cuts.
    public internal(set) var powerCuts = 0
    /// The number of openings that failed.
    public internal(set) var failedOpenings = 0

    static func += (total: inout CrashTally, more: CrashTally) {
        total.runs += more.runs
        total.steps += more.steps
        total.failedSteps += more.failedSteps
        total.kills += more.kills
        total.powerCuts += more.powerCuts
        total.failedOpenings += more.failedOpenings
    }
}
