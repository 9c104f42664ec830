import Foundation
import TestSupport

/// A store that another process writes, and what that process has acknowledged.
final class LiveStore {
    let directory: TemporaryDirectory
    private let writer: Program
    private let process: Process
    private let output = Pipe()

    /// Starts a process that writes until `stop`.
    init(segmentBytes: Int = 4 << 10, level: String = "durable") throws {
        directory = try TemporaryDirectory()
        writer = try Program("CrashWriter")
        process = writer.process([
            "write", directory.store.path, directory.path("acknowledged"), level, "--segment",
            "\(segmentBytes)",
        ])
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        while acknowledged < 20, process.isRunning {}
    }

    deinit {
        if process.isRunning { stop() }
    }

    /// The last event that the process has acknowledged.
    var acknowledged: Int {
        let text = (try? String(contentsOfFile: directory.path("acknowledged"), encoding: .utf8))
        let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) } ?? 0
    }

    /// Waits until this many further events are acknowledged.
    func wait(events count: Int) {
        let end = acknowledged + count
        while acknowledged < end, process.isRunning {}
    }

    /// Ends the process as a crash does.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Opens a copy as a store, compares its state with its events, and returns its last event.
    func open(_ copy: String) throws -> Program.Outcome {
        try writer.run("verify", copy, directory.path("nothing"), "deferred")
    }

    /// The last event of a copy that opens; nil if it does not.
    func lastEvent(of copy: String) throws -> Int? {
        let outcome = try open(copy)
        return Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
