import Foundation
import Skyros
import SkyrosSQLite
import TestSupport
import Testing

private struct Note: Entity, Equatable {
    var id: String
    var text: String
}

/// A type of an older version of the app, which knows no text.
private struct OldNote: Entity {
    static let entityName = "Note"
    var id: String
}

@Suite struct `A SQLite store` {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.url.appending(path: "below/data.sqlite")
    }

    @Test func `is a file that people can read`() throws {
        let store = try SQLiteStore(at: file)
        try store.transaction { try $0.insert(Note(id: "a", text: "b\"c")) }
        try store.close()
        let connection = try Connection(ConnectionOptions(.file(file.path)))
        let text = try connection.prepare("SELECT entity || json FROM record").single {
            $0.string(at: 0)
        }
        #expect(text == #"Note{"id":"a","text":"b\"c"}"#)
        #expect(try directory.mode(of: "below/data.sqlite") == 0o600)
    }

    @Test func `refuses another file, and changes nothing`() throws {
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: "below"), withIntermediateDirectories: true)
        try Data("no database, but long enough for one".utf8).write(to: file)
        #expect(code { _ = try SQLiteStore(at: file) } == .notAStore)
        try FileManager.default.removeItem(at: file)
        let other = try Connection(ConnectionOptions(.file(file.path)))
        try other.execute("CREATE TABLE a(x)")
        #expect(code { _ = try SQLiteStore(at: file) } == .notAStore)
        try other.execute("DROP TABLE a; PRAGMA application_id=1399538771; PRAGMA user_version=2")
        #expect(code { _ = try SQLiteStore(at: file) } == .unsupportedFormat)
    }

    @Test func `is closed, and says so`() throws {
        let store = try SQLiteStore(at: file)
        try store.transaction { try $0.insert(Note(id: "a", text: "b")) }
        try store.close()
        #expect(code { _ = try store.count(Note.self) } == .closed)
        #expect(code { try store.transaction { _ in } } == .closed)
        #expect(try SQLiteStore(at: file).get(Note.self, "a")?.text == "b")
    }

    @Test func `keeps fields that a type does not know`() throws {
        let store = try SQLiteStore()
        try store.transaction { try $0.insert(Note(id: "a", text: "b")) }
        try store.transaction { try $0.upsert(OldNote(id: "a")) }
        #expect(try store.get(Note.self, "a")?.text == "b")
    }

    @Test func `reads more records than a page`() throws {
        let store = try SQLiteStore()
        try store.transaction { tx in
            try tx.insert((0..<1_234).map { Note(id: "\($0)", text: "") })
        }
        #expect(try Set(store.all(Note.self).map(\.id)).count == 1_234)
    }

    @Test func `runs one transaction at a time`() throws {
        let store = try SQLiteStore()
        try store.transaction { try $0.insert(Note(id: "a", text: "")) }
        inParallel(4, threads: 4) { _ in
            for _ in 0..<25 {
                try? store.transaction { tx in
                    try tx.update(Note.self, "a") { $0.text += "x" }
                }
            }
        }
        #expect(try store.get(Note.self, "a")?.text.count == 100)
    }
}
