import TestSupport
import Testing

@Suite(.long, .enabled(if: Strace.isThere, Strace.isMissing))
struct `Each call of the system that a writer makes` {
    /// How many runs of each start are made.
    private static let countMax = Extent.pick(brief: 24, quick: 120, deep: Int.max)

    @Test(arguments: [CallSweep.Start.nothing, .killed])
    func `may fail or be the last, and nothing acknowledged is lost (F1, F15, F16, F19, F20, F21)`(
        start: CallSweep.Start
    ) throws {
        let result = try Self.sweep(start)
        #expect(result.problems.isEmpty, "\(start.rawValue)")
        // What a run without faults made is what is tampered with; what the background does comes
        // earlier or later in another run.
        #expect(result.counts["not reached", default: 0] * 2 < result.triedCount)
        let figures = result.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        reportSweep(
            "calls of the system, \(start.rawValue)",
            "\(result.triedCount) of \(result.allCount) calls, "
                + figures.joined(separator: ", "))
    }

    private struct Result {
        let allCount: Int
        var triedCount = 0
        var counts: [String: Int] = [:]
        var problems: [String] = []
    }

    private static func sweep(_ start: CallSweep.Start) throws -> Result {
        let sweep = try CallSweep(start)
        var result = Result(allCount: sweep.cases.count)
        for fault in sweep.sample(countMax) {
            let (outcome, problem) = try sweep.outcome(of: fault)
            result.triedCount += 1
            result.counts[outcome.rawValue, default: 0] += 1
            if let problem { result.problems.append("\(fault): \(problem)") }
        }
        return result
    }
}
