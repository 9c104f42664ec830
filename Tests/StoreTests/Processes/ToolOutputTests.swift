import Foundation
import Skyros
import TestSupport
import Testing

/// The standard output of the tool, where it cannot be written.
@Suite struct `The output of the tool` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Counter.self]) { store in
            try store.write(by: "a") { try $0.insert(Counter(id: "a", value: 1)) }
        }
    }

    /// Every command that prints, with arguments.
    private static let commands = [
        ["info"], ["log"], ["show"], ["history", "Counter", "a"], ["query", "SELECT 1"],
        ["verify"], ["replay"], ["rebuild"], ["export", "--format", "jsonl"], ["schema"],
        ["log", "--json", "--follow"], ["salvage", "--into", "FILE"],
    ]

    /// Runs the tool in a shell that redirects its output.
    private func run(_ words: [String], redirecting redirection: String) throws -> Program.Outcome {
        let arguments = words.dropFirst().map { $0 == "FILE" ? store.path("new") : $0 }
        let process = store.process(words[0], Array(arguments))
        let tool = try #require(process.executableURL).path
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "exec \"$0\" \"$@\" \(redirection)", tool] + (process.arguments ?? [])
        return try process.outcome()
    }

    @Test(arguments: commands)
    func `that is full ends a command with a sentence (F74)`(words: [String]) throws {
        let outcome = try run(words, redirecting: ">/dev/full")
        #expect(outcome.status == 1 && !outcome.wasSignaled)
        #expect(
            outcome.errors
                == "skyros: diskFull: the standard output cannot be written: "
                + "No space left on device\n")
    }

    @Test(arguments: commands)
    func `that is closed ends a command with a sentence (F74)`(words: [String]) throws {
        let outcome = try run(words, redirecting: ">&-")
        #expect(outcome.status == 1 && !outcome.wasSignaled)
        #expect(
            outcome.errors
                == "skyros: io: the standard output cannot be written: Bad file descriptor\n")
    }

    @Test(arguments: ["", "trap '' PIPE; "])
    func `that nobody reads ends a command with a sentence (F74)`(trap: String) throws {
        let process = store.process("log", [])
        let tool = try #require(process.executableURL).path
        process.executableURL = URL(filePath: "/bin/bash")
        // The fifo has a reader until the tool has its writing end.
        let script = """
            mkfifo "$1/fifo"; exec 3<>"$1/fifo"; exec 4>"$1/fifo"; exec 3<&-; \(trap)
            exec "$0" log "$1/Test.skyros" >&4
            """
        process.arguments = ["-c", script, tool, store.directory.url.path]
        let outcome = try process.outcome()
        #expect(outcome.status == 1 && !outcome.wasSignaled)
        #expect(
            outcome.errors == "skyros: io: the standard output cannot be written: Broken pipe\n")
    }

    @Test func `of the help can fail too (F74)`() throws {
        let process = try Program("skyros").process([])
        let tool = try #require(process.executableURL).path
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\"$0\" --help >/dev/full || exec \"$0\" help log >&-", tool]
        let outcome = try process.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.split(separator: "\n").count == 2)
    }

    @Test func `goes to the terminal although the standard error is closed (F74)`() throws {
        let outcome = try run(["log", "--limit", "0"], redirecting: "2>&-")
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(try run(["show", "Nope"], redirecting: "2>&-").status == 1)
    }

    @Test(.enabled(if: Strace.isAvailable, Strace.requirement))
    func `is written in large pieces (F74)`() throws {
        let large = try ToolStore([Counter.self]) { store in
            for value in 0..<2_000 {
                try store.write { try $0.upsert(Counter(id: "a", value: value)) }
            }
        }
        let trace = large.directory.url.appending(path: "trace")
        let strace = Strace(program: try Program("skyros"), trace: trace)
        let outcome = try strace.run(["log", large.directory.store.path], tracing: ["write"])
        let bytes = outcome.program.output.utf8.count
        #expect(outcome.program.output.split(separator: "\n").count == 4_000)
        #expect(bytes > 2 << 16)
        let calls = outcome.calls.filter { $0.arguments.first?.hasPrefix("1<") == true }
        // A signal can end a write to a pipe early; one more call writes the rest.
        let early = calls.count { $0.result ?? 0 < $0.arguments.last.flatMap { Int($0) } ?? 0 }
        #expect(!calls.isEmpty && calls.count - early <= bytes >> 16 + 1, "\(calls)")
    }
}
