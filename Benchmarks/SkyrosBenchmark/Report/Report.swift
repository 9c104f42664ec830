import Foundation

/// Runs the chosen workloads and prints their figures.
enum Report {
    /// - Returns: the exit code: 1 if a check failed.
    static func run(_ arguments: Arguments) throws -> Int32 {
        let name = "run-\(ProcessInfo.processInfo.processIdentifier)"
        let directory = arguments.directory.appending(path: name)
        defer { try? FileManager.default.removeItem(at: directory) }
        let conductor = try Conductor(at: directory)
        let load = loadAverage
        if arguments.isGrowth {
            runGrowth(arguments, conductor)
        } else {
            for workload in Workload.all where arguments.wants(workload) {
                conductor.run(workload, arguments.settings)
            }
        }
        let series = conductor.list.all
        print(TextTable.text(series))
        print(
            "\nMedians of \(arguments.settings.rounds) rounds; × above 1: Skyros is better. "
                + "Load of the machine before and after: \(load), \(loadAverage).")
        try write(series, arguments)
        for failure in conductor.failures { print("FAILED: \(failure)") }
        return conductor.failures.isEmpty ? 0 : 1
    }

    private static func runGrowth(_ arguments: Arguments, _ conductor: Conductor) {
        for step in Growth(isQuick: arguments.settings.isQuick).steps {
            var settings = arguments.settings
            settings.rows = step.rows
            settings.isGrown = true
            for workload in step.workloads where arguments.wants(workload) {
                conductor.run(workload, settings, label: step.label)
            }
        }
    }

    /// The load average of the last minute. On a busy machine the figures are not the best ones.
    private static var loadAverage: String {
        var loads = [0.0]
        getloadavg(&loads, 1)
        return TextTable.number(loads[0])
    }

    private static func write(_ series: [Series], _ arguments: Arguments) throws {
        if let file = arguments.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(series.flatMap(Comparison.all)).write(to: file)
        }
        if let file = arguments.markdown {
            try Data((TextTable.markdown(series) + "\n").utf8).write(to: file)
        }
    }
}
