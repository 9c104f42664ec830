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

/// The files of a checkpoint while it is written.
@Suite struct `An unfinished checkpoint` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
    }

    @Test func `is for this user only, without a journal`() throws {
        var modes: [String: Int] = [:]
        func note(_ step: CheckpointProgress, _ path: String) {
            for file in [path, path + "-journal"] {
                let attributes = try? FileManager.default.attributesOfItem(atPath: file)
                if let mode = attributes?[.posixPermissions] as? Int { modes[file] = mode }
            }
        }
        let archive = try Archive(at: directory.store)
        let inside = directory.store.appending(path: "checkpoint.tmp").path
        try archive.rebuildCheckpoint { note($0, inside) }
        let file = directory.url.appending(path: "new.sqlite")
        try archive.writeCheckpoint(to: file) { note($0, file.path) }
        #expect(modes.keys.sorted() == [inside, file.path].sorted())
        #expect(modes.values.allSatisfy { $0 == 0o600 })
    }

    @Test func `is removed if it cannot be completed`() throws {
        let store = directory.store
        let archive = try Archive(at: store)
        #expect(throws: StoreError.self) {
            try archive.rebuildCheckpoint { step in
                // Takes the place of the file that SQLite opens.
                let path = store.appending(path: "checkpoint.tmp")
                if step == .began { try? Data("no database".utf8).write(to: path) }
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(!names.contains { $0.hasPrefix("checkpoint.tmp") })
        #expect(names.contains("checkpoint.sqlite"))
    }
}
