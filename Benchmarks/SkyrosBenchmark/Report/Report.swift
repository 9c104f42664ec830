import BenchmarkModel
import Foundation

/// Runs the chosen workloads and prints their figures.
enum Report {
    /// - Returns: the exit code: 1 if a check failed.
    static func run(_ arguments: Arguments) throws -> Int32 {
        if let mismatch = CheckValues.mismatch() { throw BenchmarkError(mismatch) }
        let name = "run-\(ProcessInfo.processInfo.processIdentifier)"
        let directory = arguments.directory.appending(path: name)
        defer { try? FileManager.default.removeItem(at: directory) }
        let conductor = try Conductor(at: directory)
        let load = loadAverage
        for step in steps(arguments) {
            var settings = arguments.settings
            settings.rows = step.rows
            settings.isGrown = arguments.profile == .growth
            for workload in step.workloads where arguments.wants(workload) {
                conductor.run(workload, settings, label: step.label)
            }
        }
        let series = conductor.list.all
        let extent = extent(arguments, load)
        let tables = tables(series, arguments.profile)
        for (_, table) in tables where !table.rows.isEmpty { print(table.text, terminator: "\n\n") }
        print(extent)
        if let file = arguments.json { try FigureFile.write(series, to: file) }
        if let file = arguments.markdown {
            let parts = tables.map { (name: $0.name, text: $0.table.markdown) }
            let first = parts.prefix(1).map { (name: $0.name, text: "\(extent)\n\n\($0.text)") }
            try MarkedText.write(first + parts.dropFirst(), to: file)
        }
        for failure in conductor.failures { print("FAILED: \(failure)") }
        return conductor.failures.isEmpty ? 0 : 1
    }

    private static func steps(_ arguments: Arguments) -> [Step] {
        switch arguments.profile {
        case .standard:
            [Step(rows: arguments.settings.rows, label: "", workloads: Workload.all)]
        case .growth: Step.growth(isQuick: arguments.settings.isQuick)
        case .phone: Step.phone
        }
    }

    private static func tables(
        _ series: [Series], _ profile: Arguments.Profile
    ) -> [(name: String, table: TextTable)] {
        let figures = TextTable.figures(series)
        guard profile == .standard else { return [(profile.rawValue, figures)] }
        return [
            ("figures", figures), ("costs", TextTable.costs(series)),
            ("targets", Target.table(series)),
        ]
    }

    /// How much was measured, and how busy the machine was.
    private static func extent(_ arguments: Arguments, _ load: String) -> String {
        let settings = arguments.settings
        var numbers = ""
        if arguments.profile == .standard {
            let counts = [
                (settings.rows, "rows"), (settings.singleInserts, "commits in W1"),
                (settings.durableInserts, "in W2"), (settings.updates, "in W6"),
            ]
            numbers = counts.map { "\(TextTable.count($0)) \($1)" }.joined(separator: ", ") + ". "
        }
        return "Medians of \(settings.rounds) rounds. \(numbers)× above 1: Skyros is better. "
            + "Load of the machine before and after: \(load), \(loadAverage)."
    }

    /// The load average of the last minute. On a busy machine the figures are not the best ones.
    private static var loadAverage: String {
        var loads = [0.0]
        getloadavg(&loads, 1)
        return TextTable.number(loads[0])
    }
}
