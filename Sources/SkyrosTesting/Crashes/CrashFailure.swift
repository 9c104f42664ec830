/// What a store that crashed has lost, or holds although nobody wrote it, and how it came to that.
public struct CrashFailure: Error, CustomStringConvertible {
    /// The seed of the run; nil if it was made of chosen numbers.
    public internal(set) var seed: UInt64?
    /// What is wrong.
    public let problem: String
    /// What was done, from the beginning to the failure, in few steps: choices that were not
    /// needed for the failure are left out.
    public let steps: [String]

    /// The seed, the problem, and the steps, a line each.
    public var description: String {
        let origin = seed.map { "seed \($0): " } ?? ""
        return ([origin + problem] + steps).joined(separator: "\n")
    }
}

/// How much a simulation has tried.
public struct CrashTally: Hashable, Sendable {
    /// How many seeds.
    public internal(set) var runs = 0
    /// How many steps were begun.
    public internal(set) var steps = 0
    /// How many steps ended with an error of the disk.
    public internal(set) var failedSteps = 0
    /// How often the process was killed.
    public internal(set) var kills = 0
    /// How often the power was cut.
    public internal(set) var powerCuts = 0
    /// How many openings were interrupted.
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
