import Foundation
import Testing

/// `strace`, which records the system calls of a program and injects faults into them.
struct Strace {
    static let path = "/usr/bin/strace"
    static let isAvailable = FileManager.default.isExecutableFile(atPath: path)
    static let requirement: Comment = "needs strace, which scripts/setup installs"

    /// The system calls by which a store reads or changes files.
    static let fileCalls = [
        "open", "openat", "creat", "close", "read", "write", "pread64", "pwrite64", "writev",
        "pwritev", "pwritev2", "ftruncate", "fallocate", "fsync", "fdatasync", "rename",
        "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "fstat", "newfstatat",
        "getdents64", "flock", "fcntl", "fchmod", "fchmodat",
    ]

    /// The outcome of a traced program, and its system calls.
    struct Outcome {
        let program: Program.Outcome
        /// Whether a signal ended it.
        let wasKilled: Bool
        let calls: [TraceCall]
    }

    let program: Program
    /// The file that receives the trace.
    let trace: URL

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - traced: the names of the calls to record.
    ///   - paths: if not empty, records only calls on these files and directories, and injects
    ///     faults only into these.
    ///   - injection: the argument of strace's `-e inject=`.
    func run(
        _ arguments: [String], tracing traced: [String] = fileCalls, on paths: [String] = [],
        injecting injection: String? = nil
    ) throws -> Outcome {
        let process = program.process(arguments)
        process.executableURL = URL(filePath: Self.path)
        var options = ["-f", "-y", "-qq", "-x", "-s", "64", "-o", trace.path]
        options += ["-e", "trace=\(traced.joined(separator: ","))"]
        for path in paths { options += ["-P", path] }
        // --seccomp-bpf makes untraced calls fast, but swallows injected signals.
        options += injection.map { ["-e", "inject=\($0)"] } ?? ["--seccomp-bpf"]
        process.arguments = options + [program.url.path] + arguments
        let outcome = try process.outcome()
        try #require(!outcome.errors.contains("PTRACE"), "\(outcome.errors)")
        return Outcome(
            program: outcome, wasKilled: process.terminationReason == .uncaughtSignal,
            calls: TraceParser.calls(in: try String(contentsOf: trace, encoding: .utf8)))
    }
}
