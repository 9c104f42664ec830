import BenchmarkModel
import Foundation

/// Steps of workloads that need a process of their own.
enum Probe: String {
    /// Opens a side's files and reads one row.
    case open
    /// Reads every row of a SQLite file as a program in C does.
    case scan
    /// Holds all rows in memory.
    case memory

    /// What a probe says.
    struct Answer: Codable {
        let value: Double
    }

    /// Runs the probe in another process and gives its number.
    static func run(_ probe: Probe, _ arguments: String...) throws -> Double {
        let words = ["--probe", probe.rawValue, "\(now)"] + arguments
        return try ChildProcess.run(words, giving: Answer.self).value
    }

    /// Runs the probe in this process, which then ends without closing anything.
    ///
    /// - Parameter launch: the time at which the process was asked for.
    static func answer(_ probe: Probe, launch: UInt64, _ words: [String]) throws -> Never {
        let value =
            switch probe {
            case .open: try Opening.open(words, since: launch)
            case .scan: try Opening.scan(words, since: launch)
            case .memory: try Residence.bytesPerRow(words)
            }
        try ChildProcess.answer(Answer(value: value.result))
        // Closing would do work that is not measured; the files are copies.
        withExtendedLifetime(value.kept) { _exit(0) }
    }

    /// Milliseconds since the process was asked for.
    static func milliseconds(since launch: UInt64) -> Double {
        Double(now - launch) / 1e6
    }

    /// A clock that all processes of the machine share, in nanoseconds.
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// What a probe has found, and what must stay alive until it has said so.
struct ProbeResult {
    let result: Double
    var kept: (any AnyObject & Sendable)?
}
