import Foundation

/// Runs what was asked for and says what came of it.
enum Report {
    /// - Returns: the exit code: 1 if a check failed.
    static func run(_ arguments: Arguments) throws -> Int32 {
        let name = "run-\(ProcessInfo.processInfo.processIdentifier)"
        let folder = arguments.folder.appending(path: name)
        defer { try? FileManager.default.removeItem(at: folder) }
        let conductor = try Conductor(arguments.settings, at: folder)
        for workload in Workload.all
        where arguments.only.isEmpty || arguments.only.contains(workload.name) {
            conductor.run(workload)
        }
        let series = conductor.list.all
        print(TextTable.text(series))
        try write(series, arguments)
        for failure in conductor.failures { print("FAILED: \(failure)") }
        return conductor.failures.isEmpty ? 0 : 1
    }

    private static func write(_ series: [Series], _ arguments: Arguments) throws {
        let comparisons = series.flatMap(Comparison.all)
        if let file = arguments.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(comparisons).write(to: file)
        }
        if let file = arguments.markdown {
            try Data((TextTable.markdown(series) + "\n").utf8).write(to: file)
        }
    }
}
