import Foundation
import Testing

/// The system's tracer, which shows a program's calls and tampers with them.
struct Strace {
    static let path = "/usr/bin/strace"
    static let isThere = FileManager.default.isExecutableFile(atPath: path)
    static let isMissing: Comment = "strace is not there: scripts/setup installs it"

    /// The calls by which a store changes or reads files.
    static let fileCalls = [
        "open", "openat", "creat", "close", "read", "write", "pread64", "pwrite64", "writev",
        "pwritev", "pwritev2", "ftruncate", "fallocate", "fsync", "fdatasync", "rename",
        "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "fstat", "newfstatat",
        "getdents64", "flock", "fcntl", "fchmod", "fchmodat",
    ]

    /// What a traced program said, and its calls.
    struct Outcome {
        let program: Program.Outcome
        /// Whether a signal ended it.
        let wasKilled: Bool
        let calls: [TraceCall]
    }

    let program: Program
    /// Where the trace is written.
    let trace: URL

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - traced: the names of the calls that are shown.
    ///   - paths: shows the calls on these files and directories alone, if there are any; the same
    ///     calls are those that can be tampered with.
    ///   - injection: as in `inject=INJECTION`.
    func run(
        _ arguments: [String], tracing traced: [String] = fileCalls, on paths: [String] = [],
        injecting injection: String? = nil
    ) throws -> Outcome {
        let process = program.process(arguments)
        process.executableURL = URL(filePath: Self.path)
        var options = ["-f", "-y", "-qq", "-x", "-s", "64", "-o", trace.path]
        options += ["-e", "trace=\(traced.joined(separator: ","))"]
        for path in paths { options += ["-P", path] }
        // The filter makes other calls fast, and swallows signals that are injected.
        options += injection.map { ["-e", "inject=\($0)"] } ?? ["--seccomp-bpf"]
        process.arguments = options + [program.url.path] + arguments
        let outcome = try process.outcome()
        try #require(!outcome.errors.contains("PTRACE"), "\(outcome.errors)")
        return Outcome(
            program: outcome, wasKilled: process.terminationReason == .uncaughtSignal,
            calls: TraceParser.calls(in: try String(contentsOf: trace, encoding: .utf8)))
    }
}
