import TestSupport
import Testing

@Suite(.long, .enabled(if: Strace.isAvailable, Strace.requirement))
struct `A fault in any system call of a writer` {
    /// The number of faults that are to be reached per initial state.
    private static let reachedMax = Extent.pick(brief: 16, quick: 40, deep: Int.max)
    /// The cases come from a run without faults. Background threads make their calls earlier or
    /// later in another run, more so on a busy machine: some faults are never reached.
    private static let triedMax = Extent.pick(brief: 48, quick: 120, deep: Int.max)

    @Test(arguments: [CallSweep.Start.nothing, .killed])
    func `loses no acknowledged event (F1, F15, F16, F19, F20, F21)`(
        start: CallSweep.Start
    ) throws {
        let result = try Self.sweep(start)
        #expect(result.problems.isEmpty, "\(start.rawValue)")
        #expect(
            result.reachedCount == Self.reachedMax || result.reachedCount * 2 > result.triedCount)
        let figures = result.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        reportSweep(
            "system calls, \(start.rawValue)",
            "\(result.triedCount) of \(result.allCount) calls, "
                + figures.joined(separator: ", "))
    }

    private struct Result {
        let allCount: Int
        var triedCount = 0
        var counts: [String: Int] = [:]
        var problems: [String] = []

        var reachedCount: Int { triedCount - counts["not reached", default: 0] }
    }

    private static func sweep(_ start: CallSweep.Start) throws -> Result {
        let sweep = try CallSweep(start)
        var result = Result(allCount: sweep.cases.count)
        for fault in sweep.sample(triedMax) where result.reachedCount < reachedMax {
            let (outcome, problem) = try sweep.outcome(of: fault)
            result.triedCount += 1
            result.counts[outcome.rawValue, default: 0] += 1
            if let problem { result.problems.append("\(fault): \(problem)") }
        }
        return result
    }
}
