import Foundation
import SkyrosDisk
import TestSupport
import Testing

private let strace = "/usr/bin/strace"

/// Legal results of system calls, injected from outside.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: strace), "strace is not there"))
struct `A call of the system` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The system calls of opening and closing a store, with file names in its directory.
    enum Place: String, CaseIterable {
        case store = "."
        case lock
        case events
        case newSegment = "events/00000000000000000001.tmp"
        case segment = "events/00000000000000000001.open"
    }

    /// Opens and closes a store, or writes to it, while `injection` changes the results of some
    /// calls.
    private func open(
        injecting injection: String, at places: [Place] = Place.allCases, writing: Bool = false
    ) throws -> (status: Int32, trace: String) {
        // Created first, because the tracer needs its path.
        try PosixDisk(path: directory.path("Test.skyros"), creating: true).makeDirectory(.events)
        let store = directory.path("Test.skyros")
        let paths = places.map { $0 == .store ? store : "\(store)/\($0.rawValue)" }
        let launcher =
            [strace, "-f", "-qq", "-o", directory.path("trace")]
            + paths.flatMap { ["-P", $0] } + ["-e", "inject=\(injection)"]
        let outcome = try LockHolder().open(store, writing: writing, through: launcher)
        try #require(!outcome.complaint.contains("PTRACE"), "\(outcome.complaint)")
        let trace = String(decoding: try directory.bytes(of: "trace"), as: UTF8.self)
        try #require(trace.contains("(INJECTED)"))
        return (outcome.status, trace)
    }

    /// The number of the first call that counts: the text in the lock file is informative only.
    private static func first(_ call: String) -> Int { call == "pwrite64" ? 2 : 1 }

    @Test(arguments: ["openat", "pread64", "pwrite64", "ftruncate", "flock"])
    func `is repeated when a signal interrupts it (F19)`(_ call: String) throws {
        let outcome = try open(injecting: "\(call):error=EINTR:when=\(Self.first(call))+2")
        #expect(outcome.status == 0)
    }

    @Test(arguments: ["pread64", "pwrite64"])
    func `is repeated for the rest after a short result (F18)`(_ call: String) throws {
        let trace = try open(injecting: "\(call):retval=10:when=\(Self.first(call))").trace
        let lines = trace.split(separator: "\n").filter { $0.contains(call) }
        let part = try #require(lines.firstIndex { $0.contains("(INJECTED)") })
        // …, count, position) = …
        let numbers = try lines[part...].prefix(2).map { line in
            let found = try #require(line.firstMatch(of: /, (\d+), (\d+)\) +=/))
            return (count: Int(found.1), position: Int(found.2))
        }
        try #require(numbers.count == 2)
        #expect(numbers[1].count == numbers[0].count.map { $0 - 10 })
        #expect(numbers[1].position == numbers[0].position.map { $0 + 10 })
    }

    /// What an interrupted sync has written is unknown. The second sync of a grown file, and of a
    /// directory, confirms the first.
    @Test(arguments: [
        ("fsync", 1, Place.events), ("fdatasync", 1, .events), ("fdatasync", 1, .newSegment),
        ("fdatasync", 1, .segment), ("fdatasync", 2, .segment),
    ])
    func `is not repeated if it is a sync (F13, F19)`(
        _ call: String, number: Int, on place: Place
    ) throws {
        let outcome = try open(
            injecting: "\(call):error=EINTR:when=\(number)", at: [place],
            writing: place == .segment)
        // The write or the handler of the store reports it first.
        #expect([1, 3].contains(outcome.status))
        let lines = outcome.trace.split(separator: "\n")
        let failure = try #require(lines.firstIndex { $0.contains("(INJECTED)") })
        #expect(!lines[(failure + 1)...].contains { $0.contains("sync(") })
    }
}
