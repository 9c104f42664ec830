import Foundation
import Skyros
import TestSupport
import Testing

/// Checks the order of the system calls that a rebuild makes.
@Suite(.enabled(if: Strace.isAvailable, Strace.requirement))
struct `A rebuild of the checkpoint` {
    @Test func `makes the log durable before the checkpoint`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        let trace = directory.url.appending(path: "trace").path
        let tool = try Program("skyros").url.path
        _ = try Shell.run([
            Strace.path, "-f", "-y", "-qq", "-o", trace,
            "-e", "trace=fsync,fdatasync,rename,renameat",
            tool, "rebuild", directory.store.path,
        ])
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        func first(_ call: String, _ file: String) -> Int? {
            calls.firstIndex { $0.contains(call) && $0.contains(file) && $0.contains(" = 0") }
        }
        let segment = try #require(first("sync", ".open"))
        let events = try #require(first("fsync", "/events>"))
        let checkpoint = try #require(first("sync", "checkpoint.tmp"))
        let named = try #require(first("rename", "checkpoint.sqlite"))
        #expect(segment < events && events < checkpoint && checkpoint < named)
        let root = calls.lastIndex { $0.contains("fsync") && $0.contains("Test.skyros>") }
        #expect(try #require(root) > named)
    }
}
