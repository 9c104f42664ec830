import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Two entities and, in each, two fields, whose names Swift takes for equal.
private struct Composed: Entity, Equatable {
    static let entityName = "Caf\u{E9}"
    static let indexes: [Index<Composed>] = [
        .on(\.first, field: "t\u{E9}"), .unique(\.second, field: "te\u{301}"),
    ]
    var id: Int
    var first: String
    var second: String

    private enum CodingKeys: String, CodingKey {
        case id
        case first = "t\u{E9}"
        case second = "te\u{301}"
    }
}

private struct Decomposed: Entity, Equatable {
    static let entityName = "Cafe\u{301}"
    var id: Int
    var first: String

    private enum CodingKeys: String, CodingKey {
        case id
        case first = "te\u{301}"
    }
}

/// Refers to a record with the same id, and almost the same name of its entity.
private struct Referring: Entity {
    static let entityName = "Cafe\u{301}"
    static let relations: [Relation<Referring>] = [.to(\.target, onDelete: .deny)]
    var id: Int
    var target: Ref<Composed>
}

/// An object that holds another one with the same id.
private struct Holder: Equatable {
    var id: Int
    var part: Decomposed
}

private struct SameName: Entity {
    static let entityName = "Caf\u{E9}"
    var id: Int
}

/// Names are the same if their UTF-8 bytes are, in the library, in the tool, in SQLite and in other
/// languages.
@Suite struct `Names that differ by normalisation only` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> Store {
        try Store(at: directory.store, entities: Composed.self, Decomposed.self)
    }

    private func fill(_ store: Store) throws {
        try store.write { tx in
            try tx.insert((1...3).map { Composed(id: $0, first: "a", second: "b\($0)") })
            try tx.insert((1...2).map { Decomposed(id: $0, first: "c\($0)") })
        }
        let tags = NamedValues([("\u{E9}", "1"), ("e\u{301}", "2")])
        var metadata = Metadata()
        metadata.tags = tags
        try store.write(metadata: metadata) { tx in
            try tx.update(Composed.self, 1) { $0.second = "changed" }
            try tx.delete(Decomposed.self, 2)
        }
    }

    private func check(_ state: Snapshot) throws {
        #expect(try state.get(Composed.self, 1) == Composed(id: 1, first: "a", second: "changed"))
        #expect(try state.all(Decomposed.self) == [Decomposed(id: 1, first: "c1")])
        #expect(state.count("Caf\u{E9}") == 3 && state.count("Cafe\u{301}") == 1)
        #expect(state.entities.count == 2)
        #expect(try state.count(Composed.self, where: \.first == "a") == 3)
        #expect(try state.all(Composed.self, where: \.second == "b2").map(\.id) == [2])
        let record = try state.record("Caf\u{E9}", RecordID(1))
        #expect(record?["t\u{E9}"] == "a" && record?["te\u{301}"] == "changed")
        #expect(try state.record("Cafe\u{301}", RecordID(2)) == nil)
    }

    @Test func `are two names, from the first write on through every opening (F66)`() throws {
        let store = try open()
        try fill(store)
        try check(store.snapshot)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try store.write { try $0.insert(Composed(id: 9, first: "b2", second: "b3")) }
        }
        let change = try #require(try store.history(of: Composed.self, 1).last?.changes)
        #expect(change.map { Array($0.field.utf8) } == [Array("te\u{301}".utf8)])
        #expect(try store.history(of: Decomposed.self, 2).map(\.kind) == [.inserted, .deleted])
        let tags = try #require(try store.event(2)?.metadata.tags)
        #expect(tags["\u{E9}"] == "1" && tags["e\u{301}"] == "2")
        let digest = try store.snapshot.digest()
        try store.close()
        for removesCheckpoint in [false, true] {
            if removesCheckpoint {
                let file = directory.store.appending(path: "checkpoint.sqlite")
                try FileManager.default.removeItem(at: file)
            }
            let next = try open()
            #expect(next.recovery.checkpoint == (removesCheckpoint ? .none : .loaded(2)))
            try check(next.snapshot)
            #expect(try next.snapshot.digest() == digest)
            try next.close()
        }
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `are cleared, inserted and rebuilt one by one (F66)`() throws {
        let store = try open()
        try fill(store)
        try store.write { try $0.deleteAll(Decomposed.self) }
        #expect(store.snapshot.count("Caf\u{E9}") == 3)
        #expect(store.snapshot.count("Cafe\u{301}") == 0)
        try store.write { try $0.insert(Decomposed(id: 1, first: "d")) }
        #expect(try store.history(of: Composed.self, 1).count == 2)
        #expect(
            try store.history(of: Decomposed.self, 1).map(\.kind)
                == [.inserted, .cleared, .inserted])
        let digest = try store.snapshot.digest()
        try store.close()
        let archive = try Archive(at: directory.store)
        _ = try archive.rebuildCheckpoint()
        #expect(archive.verify().ok)
        #expect(try archive.newestSnapshot().digest() == digest)
        #expect(try archive.info().entities == ["Caf\u{E9}": 3, "Cafe\u{301}": 1])
        #expect(try archive.info().entities.count == 2)
    }

    @Test func `are two names in the tool, in SQL and in another language (F66)`() throws {
        let store = try open()
        try fill(store)
        let rows = try store.snapshot.query("SELECT \"t\u{E9}\", \"te\u{301}\" FROM \"Caf\u{E9}\"")
        #expect(
            rows.columns.map { Array($0.utf8) } == ["t\u{E9}", "te\u{301}"].map { Array($0.utf8) })
        #expect(rows.rows.contains(["a", "changed"]))
        let digest = try store.snapshot.digest()
        try store.close()
        let tool = try Program("skyros")
        func lines(_ command: String, _ arguments: String...) throws -> [FieldValue] {
            let outcome = try tool.run([command, directory.store.path] + arguments + ["--json"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.output.split(separator: "\n").map { try FieldValue(json: "\($0)") }
        }
        #expect(try lines("show", "Caf\u{E9}").count == 3)
        #expect(try lines("show", "Cafe\u{301}", "1")[0]["record"]?["te\u{301}"] == "c1")
        #expect(try lines("schema").count == 2)
        #expect(try lines("log", "--entity", "Cafe\u{301}").count == 2)
        #expect(try lines("log", "--tag", "e\u{301}=2").count == 1)
        #expect(try lines("log", "--tag", "e\u{301}=1").isEmpty)
        #expect(try lines("history", "Cafe\u{301}", "1").count == 1)
        #expect(try lines("info")[0]["entities"] == ["Caf\u{E9}": 3, "Cafe\u{301}": 1])
        let records = try lines("query", "SELECT \"te\u{301}\" FROM \"Cafe\u{301}\"")
        #expect(records.count == 1)
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let reader = Repository.root.appending(path: "docs/read_log.py").path
        let read = try Shell.lines(python, reader, directory.store.path)
        #expect(read.count == 5 && read.last == "digest \(digest)")
    }

    @Test func `are two kinds of objects, of which one holds the other (F66)`() throws {
        let store = try open()
        let parts = Mapping<Decomposed, Decomposed>.itself
        let mapping = Mapping<Holder, Composed>(id: { $0.id }) { holder, context in
            let part = try context.entity(for: holder.part, by: parts)
            return Composed(id: holder.id, first: part.first, second: part.first)
        } object: { stored, context in
            let part = try context.object(stored.id, by: parts)
            return Holder(id: stored.id, part: try #require(part))
        }
        let holder = Holder(id: 1, part: Decomposed(id: 1, first: "a"))
        try store.objects(mapping).insert(holder)
        #expect(try store.objects(mapping).get(1) == holder)
        try store.close()
    }

    @Test func `are two entities in a migration, of which one refers to the other (F66)`() throws {
        let old = try SQLiteStore()
        try old.transaction { tx in
            try tx.insert(Referring(id: 1, target: Ref(1)))
            try tx.insert(Composed(id: 1, first: "a", second: "b"))
        }
        let new = try Store(inMemory: Referring.self, Composed.self)
        // The record that refers is copied first, and takes its target along.
        #expect(try migrate(from: old, to: new) == MigrationReport(copiedCount: 1, equalCount: 1))
        #expect(try new.get(Composed.self, 1)?.second == "b")
    }

    @Test func `are unknown by each other's name, which the error shows (F66)`() throws {
        let store = try open()
        try fill(store)
        try store.close()
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.store, entities: Composed.self)
        }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("entityName = \"Cafe\\u{301}\"") == true)
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Store(inMemory: Composed.self, SameName.self)
        }
    }

    @Test func `are spelled out by the tool where it knows only one of them (F66)`() throws {
        let store = try ToolStore([Composed.self]) { store in
            try store.write { try $0.insert(Composed(id: 1, first: "a", second: "b")) }
        }
        let outcome = try store.run("show", "Cafe\u{301}")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no entity Cafe\\u{301} at"))
        #expect(outcome.errors.contains("known entities: Caf\\u{e9}"))
        #expect(try store.run("show", "Caf\u{E9}").status == 0)
    }
}
