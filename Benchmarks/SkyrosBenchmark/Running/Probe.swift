import Foundation

/// Steps of workloads that need a process of their own.
enum Probe: String {
    /// Opens a side's files and reads one row.
    case open
    /// Reads every row of a SQLite file as a program in C does.
    case scan
    /// Holds all rows in memory.
    case memory
    /// Opens a small store as an app on a phone does.
    case phone
    #if !SKYROS_COMPARE
        /// Opens a store, or estimates how long that takes.
        case estimate
        /// Opens a store with the types of a later release.
        case evolution
    #endif

    /// Runs the probe in another process and gives its figures.
    static func run(
        _ probe: Probe, in bench: Bench, _ arguments: String...
    ) throws -> [Figure] {
        bench.warm()
        let words = ["--probe", probe.rawValue, "\(now)"] + arguments
        return try ChildProcess.run(bench.arguments + words, giving: [Figure].self)
    }

    /// Runs the probe in this process, which then ends without closing anything.
    ///
    /// - Parameter launch: the time at which the process was asked for.
    static func answer(
        _ probe: Probe, launch: UInt64, _ words: [String], _ bench: Bench
    ) throws -> Never {
        let result = try result(of: probe, launch: launch, words, bench)
        try ChildProcess.answer(result.figures)
        // Closing would do work that is not measured; the files are copies.
        withExtendedLifetime(result.kept) { _exit(0) }
    }

    private static func result(
        of probe: Probe, launch: UInt64, _ words: [String], _ bench: Bench
    ) throws -> ProbeResult {
        switch probe {
        case .open: return try Opening.open(words, since: launch, bench)
        case .scan: return try Opening.scan(words, since: launch, bench)
        case .memory: return try Residence.bytesPerRow(words, bench)
        case .phone: return try Phone.open(words, since: launch, bench)
        #if !SKYROS_COMPARE
            case .estimate: return try Estimates.answer(words, bench)
            case .evolution: return try Evolving.open(words, since: launch)
        #endif
        }
    }

    /// The time since the process was asked for, and what it has used of the processors.
    static func cost(since launch: UInt64) -> Cost {
        Cost(wall: Double(now - launch) / 1e9, cpu: Cost.cpuOfProcess)
    }

    /// A clock that all processes of the machine share, in nanoseconds.
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// What a probe has found, and what must stay alive until it has said so.
struct ProbeResult {
    let figures: [Figure]
    var kept: (any AnyObject & Sendable)?
}
