import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

private enum V1 {
    struct Card: Entity {
        var id: Int
        var name: String
    }
}

private enum V2 {
    struct Card: Entity, Equatable {
        var id: Int
        var title: String
        var note: String?
        var color: String
        static let evolution: Evolution<Card> = [
            .version(2) { .rename("name", to: "title").add("color", "red") }
        ]
    }
}

private enum V3 {
    struct Card: Entity {
        var id: Int
        var title: String
        var note: String?
        var color: String
        static let evolution: Evolution<Card> = [
            .version(2) { .rename("name", to: "title").add("color", "red") },
            .version(3) { record in
                if record["title"]?.text == "B" { throw CocoaError(.coderInvalidValue) }
            },
        ]
    }
}

private enum Failing {
    struct Card: Entity {
        var id: Int
        var name: Int
        static let evolution: Evolution<Card> = [.version(2) { .retype("name", .textToInteger) }]
    }
}

@Suite struct `A history in today's shape` {
    private let directory: TemporaryDirectory

    /// Two events of the first version, and one of the second, which sets the note.
    init() throws {
        directory = try TemporaryDirectory()
        var old: Store? = try Store(at: directory.store, entities: V1.Card.self)
        try old?.write(by: "ann") { try $0.insert(V1.Card(id: 1, name: "A")) }
        try old?.write(by: "bob") { try $0.update(V1.Card.self, 1) { $0.name = "B" } }
        try old?.close()
        old = nil
        let store = try Store(at: directory.store, entities: V2.Card.self)
        try store.write(by: "cat") { try $0.update(V2.Card.self, 1) { $0.note = "n" } }
        try store.close()
    }

    private func fields(_ entries: [HistoryEntry]) throws -> [[String]] {
        try entries.map { try $0.changes.map(\.description) }
    }

    @Test func `shows today's fields, and no step as a change`() throws {
        let store = try Store(at: directory.store, entities: V2.Card.self)
        let newest = try store.history(of: V2.Card.self, 1, shape: .newest)
        #expect(
            try fields(newest) == [
                ["id: – → 1", "color: – → \"red\"", "title: – → \"A\""],
                ["title: \"A\" → \"B\""],
                ["note: – → \"n\""],
            ])
        #expect(newest.map(\.actor) == ["ann", "bob", "cat"])
        let stored = try store.history(of: V2.Card.self, 1)
        #expect(try fields(stored)[1] == ["name: \"A\" → \"B\""])
        #expect(try stored[2].changes.map(\.field) == ["name", "note", "color", "title"])
        // Both have the same values of the type.
        for (entry, other) in zip(newest, stored) {
            #expect(try entry.after(as: V2.Card.self) == other.after(as: V2.Card.self))
            #expect(try entry.before(as: V2.Card.self) == other.before(as: V2.Card.self))
        }
    }

    @Test func `names the events that gave today's fields their values`() throws {
        let store = try Store(at: directory.store, entities: V2.Card.self)
        func origins(_ shape: HistoryShape) throws -> [String] {
            try store.blame(of: V2.Card.self, 1, shape: shape)
                .map { "\($0.field) \($0.entry.sequence)" }
        }
        #expect(try origins(.newest) == ["id 1", "note 3", "color 1", "title 2"])
        #expect(try origins(.stored) == ["id 1", "note 3", "color 3", "title 3"])
    }

    @Test func `throws if a step fails, and can be read as it is stored`() throws {
        let store = try Store(at: directory.store, entities: V3.Card.self)
        let error = failure(as: StoreError.self) {
            _ = try store.history(of: V3.Card.self, 1, shape: .newest)
        }
        #expect(error?.code == .evolutionFailed)
        #expect(try store.history(of: V3.Card.self, 1).count == 3)
    }

    private func evolved() throws -> (entries: [HistoryEntry], heldBackCount: Int) {
        let archive = try Archive(at: directory.store)
        return try archive.evolved(archive.history(of: "Card", RecordID(1)), of: "Card")
    }

    @Test func `is found without the app's types`() throws {
        let (entries, heldBackCount) = try evolved()
        #expect(try fields(entries)[1] == ["title: \"A\" → \"B\""])
        #expect(try fields(entries)[2] == ["note: – → \"n\""])
        #expect(heldBackCount == 0)
    }

    @Test func `is shown as it was stored, where a step fails`() throws {
        let other = try TemporaryDirectory()
        let old = try Store(at: other.store, entities: V1.Card.self)
        try old.write { try $0.insert(V1.Card(id: 1, name: "7")) }
        try old.write { try $0.update(V1.Card.self, 1) { $0.name = "x" } }
        try old.close()
        let store = try Store(at: other.store, entities: Failing.Card.self)
        try store.write { try $0.insert(Failing.Card(id: 2, name: 5)) }
        try store.close()
        let archive = try Archive(at: other.store)
        let (entries, heldBackCount) = try archive.evolved(
            archive.history(of: "Card", RecordID(1)), of: "Card")
        // Not one number and one text.
        #expect(try fields(entries)[1] == ["name: \"7\" → \"x\""])
        #expect(heldBackCount == 2)
    }

    @Test func `says how many changes it cannot bring to today's shape`() throws {
        let store = try Store(at: directory.store, entities: V3.Card.self)
        try store.write { try $0.insert(V3.Card(id: 2, title: "C", note: nil, color: "blue")) }
        try store.close()
        let (entries, heldBackCount) = try evolved()
        // A closure of the app leads to the third version.
        #expect(heldBackCount == 3)
        #expect(try fields(entries)[1] == ["title: \"A\" → \"B\""])
    }
}
