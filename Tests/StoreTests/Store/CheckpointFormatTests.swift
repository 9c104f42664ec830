import Foundation
import Skyros
import TestSupport
import Testing

/// Reads the checkpoint of a store with the `sqlite3` tool.
@Suite struct `The checkpoint of a store` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var file: URL { directory.store.appending(path: "checkpoint.sqlite") }

    private func open() throws -> Store {
        try Store(at: directory.store, entities: Note.self)
    }

    /// The id of each note, and the sequence of its newest event.
    private func sequences(in file: URL) throws -> [String] {
        let sql = "SELECT id, _sequence FROM Note ORDER BY id"
        return try Shell.lines("sqlite3", "-readonly", file.path, sql)
    }

    @Test func `holds the newest event of each record, however it was written`() throws {
        let store = try open()
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        try store.write { try $0.update(Note(id: 1, text: "b")) }
        try store.close()
        #expect(try sequences(in: file) == ["1|4", "2|2", "3|3"])

        let again = try open()
        try again.write { tx in
            try tx.update(Note(id: 2, text: "c"))
            try tx.delete(Note.self, 3)
        }
        try again.close()
        #expect(try sequences(in: file) == ["1|4", "2|5"])

        try FileManager.default.removeItem(at: file)
        try open().close()
        #expect(try sequences(in: file) == ["1|4", "2|5"])

        let archive = try Archive(at: directory.store)
        try archive.rebuildCheckpoint()
        #expect(try sequences(in: file) == ["1|4", "2|5"])
        let past = directory.url.appending(path: "past.sqlite")
        try archive.writeCheckpoint(asOf: .sequence(4), to: past)
        #expect(try sequences(in: past) == ["1|4", "2|2", "3|3"])
    }

    @Test func `names the indexes of the app, also after a rebuild without its types`() throws {
        struct Person: Entity {
            var id: Int
            var name: String
            var age: Int
            static let indexes: [Index<Person>] = [.on(\.name, \.age), .unique(\.age)]
        }
        let store = try Store(at: directory.store, entities: Person.self, Note.self)
        try store.write { tx in
            try tx.insert(Person(id: 1, name: "a", age: 2))
            try tx.insert(Note(id: 1, text: "a"))
        }
        try store.close()
        let sql = "SELECT entity, indexes FROM _skyros_entities ORDER BY entity"
        let expected = ["Note|[]", #"Person|[["name","age"],["age"]]"#]
        #expect(try Shell.lines("sqlite3", "-readonly", file.path, sql) == expected)
        try Archive(at: directory.store).rebuildCheckpoint()
        #expect(try Shell.lines("sqlite3", "-readonly", file.path, sql) == expected)
    }

    @Test func `is rebuilt if a key was changed in it (F27)`() throws {
        let store = try open()
        try store.write(once: "a") { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        _ = try Shell.run(["sqlite3", file.path, "UPDATE _skyros_keys SET key = 'b'"])
        let problems = try Archive(at: directory.store).verify().problems
        #expect(problems.count == 1 && problems[0].contains("idempotency keys"))
        let again = try open()
        guard case .rebuilt(let reason) = again.recovery.checkpoint else {
            Issue.record("\(again.recovery)")
            return
        }
        #expect(reason.contains("idempotency keys"))
        #expect(try again.write(once: "a") { _ in }.isRepeated)
        #expect(try !again.write(once: "b") { _ in }.isRepeated)
        try again.close()
        let keys = try Shell.lines("sqlite3", file.path, "SELECT sequence, key FROM _skyros_keys")
        #expect(keys == ["1|a", "2|b"])
    }

    @Test func `is rebuilt from the log if it has an earlier format (F27)`() throws {
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        _ = try Shell.run([
            "sqlite3", file.path, "PRAGMA user_version = 1; ALTER TABLE _skyros DROP COLUMN chain",
        ])
        #expect(try Archive(at: directory.store).verify().ok)
        let again = try open()
        guard case .rebuilt(let reason) = again.recovery.checkpoint else {
            Issue.record("\(again.recovery)")
            return
        }
        #expect(reason.contains("format 1"))
        #expect(again.recovery.quarantined == ["quarantine/checkpoint-1.sqlite"])
        #expect(try again.get(Note.self, 1) == Note(id: 1, text: "a"))
        try again.close()
        #expect(try open().recovery.checkpoint == .loaded(1))
    }
}
