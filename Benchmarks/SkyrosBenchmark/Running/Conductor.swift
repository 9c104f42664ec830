import Foundation

/// Runs the workloads: prepares, measures round by round, collects.
///
/// In each round every side does its work once, in its own process. Other load on the machine then
/// affects all sides alike. Figures are the medians of the rounds.
final class Conductor {
    private let root: URL
    private(set) var list = SeriesList()
    /// What went wrong, one sentence a failure.
    private(set) var failures: [String] = []
    private var prepared: Set<URL> = []

    init(at root: URL) throws {
        self.root = root
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    /// Measures a workload on all its sides.
    ///
    /// - Parameter label: what the variants' names begin with.
    func run(_ workload: Workload, _ settings: Settings, label: String = "") {
        say("\(workload.name): \(workload.title) \(label)")
        let bench = Bench(settings: settings, root: root)
        defer { removeKilled(bench) }
        var sides = workload.sides
        let rounds = workload.isSteady ? 1 : settings.rounds
        let clock = ContinuousClock()
        for round in 1...rounds {
            let start = clock.now
            for side in sides {
                do {
                    try prepare(workload.fixtures(of: side, settings), bench)
                    for figure in try measure(workload, side, bench) {
                        list.add(figure, of: side, in: workload.name, label: label)
                    }
                } catch {
                    failures.append("\(workload.name), \(side.rawValue): \(error)")
                    say("  \(side.rawValue): FAILED: \(error)")
                    return
                }
            }
            let seconds = TextTable.number((clock.now - start).seconds)
            say("  round \(round) of \(rounds): \(seconds) s")
            // No side is always the first.
            sides.append(sides.removeFirst())
        }
    }

    private func measure(
        _ workload: Workload, _ side: Side, _ bench: Bench
    ) throws -> [Figure] {
        defer { try? FileManager.default.removeItem(at: bench.scratch) }
        return try ChildProcess.run(
            bench.arguments + ["--measure", workload.name, side.rawValue],
            giving: [Figure].self)
    }

    private func prepare(_ preparations: [Preparation], _ bench: Bench) throws {
        for preparation in preparations {
            let (fixture, side) = (preparation.fixture, preparation.side)
            let place = bench.place(of: fixture, side)
            guard !prepared.contains(place) else { continue }
            say("  preparing \(fixture.rawValue) for \(side.rawValue)")
            // What is left of a preparation that failed.
            try? FileManager.default.removeItem(at: place)
            try ChildProcess.run(
                bench.arguments + ["--prepare", fixture.rawValue, side.rawValue],
                mayBeKilled: fixture.endsKilled)
            prepared.insert(place)
        }
    }

    /// The stores of killed processes may have gigabytes, and only one workload uses them.
    private func removeKilled(_ bench: Bench) {
        for fixture in Fixture.allCases where fixture.endsKilled {
            for place in Side.allCases.map({ bench.place(of: fixture, $0) }) {
                guard prepared.remove(place) != nil else { continue }
                try? FileManager.default.removeItem(at: place)
            }
        }
    }

    private func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
