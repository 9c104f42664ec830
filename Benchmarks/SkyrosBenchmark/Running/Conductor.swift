import Foundation

/// Leads through the workloads: prepares, measures round by round, gathers.
///
/// In each round every side does its work once, in a process of its own, so that whatever the
/// machine does besides falls on all sides alike; medians are taken over the rounds.
final class Conductor {
    private let settings: Settings
    private let bench: Bench
    private(set) var list = SeriesList()
    /// What went wrong, one sentence a failure.
    private(set) var failures: [String] = []
    private var prepared: Set<Preparation> = []

    init(_ settings: Settings, at root: URL) throws {
        self.settings = settings
        bench = Bench(settings: settings, root: root)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    /// Measures a workload on all its sides.
    func run(_ workload: Workload) {
        say("\(workload.name): \(workload.title)")
        var sides = workload.sides
        let rounds = workload.isSteady ? 1 : settings.rounds
        for round in 1...rounds {
            for side in sides {
                do {
                    try prepare(workload.fixtures(side))
                    if settings.isGrown { try prepare(workload.fixturesOfGrown(side)) }
                    try measure(workload, side)
                } catch {
                    failures.append("\(workload.name), \(side.rawValue): \(error)")
                    say("  \(side.rawValue): FAILED: \(error)")
                    return
                }
            }
            say("  round \(round) of \(rounds)")
            // Nobody always comes first.
            sides.append(sides.removeFirst())
        }
    }

    private func measure(_ workload: Workload, _ side: Side) throws {
        let scratch = bench.scratch
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        Memory.warm(isQuick: settings.isQuick)
        let figures = try ChildProcess.run(
            ["--measure", workload.name, side.rawValue] + common, giving: [Figure].self)
        for figure in figures { list.add(figure, of: side, in: workload.name) }
    }

    private func prepare(_ preparations: [Preparation]) throws {
        for preparation in preparations where prepared.insert(preparation).inserted {
            let (fixture, side) = (preparation.fixture, preparation.side)
            say("  preparing \(fixture.rawValue) for \(side.rawValue)")
            try ChildProcess.run(
                ["--prepare", fixture.rawValue, side.rawValue] + common,
                mayBeKilled: fixture.endsKilled)
        }
    }

    private var common: [String] {
        settings.arguments + ["--folder", bench.root.path(percentEncoded: false)]
    }

    private func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
