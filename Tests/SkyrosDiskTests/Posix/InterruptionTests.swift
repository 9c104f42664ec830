import Foundation
import SkyrosDisk
import Testing

private let strace = "/usr/bin/strace"

/// What the system may answer to a call that is as good as any other, injected from outside.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: strace), "strace is not there"))
struct `A call of the system` {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens a store while `injection` tampers with the calls on its folders and files.
    private func open(injecting injection: String) throws -> (status: Int32, trace: String) {
        // There before, so that it has a path for the tracer to know.
        try PosixDisk(path: folder.path("Test.skyros"), creating: true).makeFolder(.events)
        let store = folder.path("Test.skyros")
        let segment = "\(store)/events/00000000000000000001"
        let names = [
            store, "\(store)/events", "\(store)/lock", "\(segment).open", "\(segment).temporary",
        ]
        let launcher =
            [strace, "-f", "-qq", "-o", folder.path("trace")]
            + names.flatMap { ["-P", $0] } + ["-e", "inject=\(injection)"]
        let outcome = try LockHolder().open(store, through: launcher)
        try #require(!outcome.complaint.contains("PTRACE"), "\(outcome.complaint)")
        let trace = String(decoding: try folder.bytes(of: "trace"), as: UTF8.self)
        try #require(trace.contains("(INJECTED)"))
        return (outcome.status, trace)
    }

    @Test(arguments: ["openat", "pread64", "pwrite64", "ftruncate", "flock"])
    func `is made again when a signal interrupts it`(_ call: String) throws {
        let outcome = try open(injecting: "\(call):error=EINTR:when=1+2")
        #expect(outcome.status == 0)
    }

    /// F13, F19: nobody knows what an interrupted sync has written.
    @Test(arguments: ["fsync", "fdatasync"])
    func `is not made again when it was a sync`(_ call: String) throws {
        let outcome = try open(injecting: "\(call):error=EINTR:when=1")
        #expect(outcome.status == 1)
        let file = try #require(
            outcome.trace.split(separator: "\n").first { $0.contains("(INJECTED)") }?
                .split(separator: " ").dropFirst().first)
        #expect(outcome.trace.split(separator: String(file)).count == 2)
    }
}
