import Foundation
import Testing

@Suite(.enabled(if: Strace.isThere, Strace.isMissing))
struct `Each call of the system that a writer makes` {
    private static let isDeep = ProcessInfo.processInfo.environment["SKYROS_DEEP"] != nil
    /// How many runs of each start are made in every test run.
    private static let sample = 120

    @Test(arguments: [CallSweep.Start.nothing, .killed])
    func `may fail or be the last, and nothing acknowledged is lost`(
        start: CallSweep.Start
    ) throws {
        let sweep = try CallSweep(start)
        let cases = Self.isDeep ? sweep.cases : sweep.sample(Self.sample)
        var counts: [String: Int] = [:]
        for fault in cases {
            let (outcome, problem) = try sweep.outcome(of: fault)
            counts[outcome.rawValue, default: 0] += 1
            #expect(problem == nil, "\(start.rawValue), \(fault)")
        }
        // What a run without faults made is what is tampered with; what the background does comes
        // earlier or later in another run.
        #expect(counts["not reached", default: 0] * 2 < cases.count)
        let figures = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print(
            "sweep | calls of the system, \(start.rawValue) | \(Self.isDeep ? "deep" : "quick") | "
                + "\(cases.count) of \(sweep.cases.count) calls, "
                + figures.joined(separator: ", "))
    }
}
