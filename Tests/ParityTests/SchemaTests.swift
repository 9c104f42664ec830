import Foundation
import Skyros
import TestSupport
import Testing

/// The types of an app before its update.
private enum Before {
    struct Person: Entity, Equatable {
        var id: Int
        var name: String
    }
}

/// The types after it.
private enum After {
    struct Person: Entity, Equatable {
        var id: Int
        var name: String
        var nickname: String?
    }

    struct Human: Entity, Equatable {
        var id: Int
        var name: String
        static let entityName = "Person"
    }

    struct Unpinned: Entity {
        var id: Int
        var name: String
    }
}

@Suite struct `A store of an older app` {
    private let directory: TemporaryDirectory

    /// A closed store with two persons, of whom one was renamed.
    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Before.Person.self)
        try store.write(by: "ann") { tx in
            try tx.insert([Before.Person(id: 1, name: "John"), Before.Person(id: 2, name: "Mia")])
        }
        try store.write { tx in try tx.update(Before.Person.self, 1) { $0.name = "Jo" } }
        try store.close()
    }

    @Test func `S-127: knows a type by its bare name, or by the name that it pins`() throws {
        #expect(Before.Person.entityName == "Person")
        let renamed = try Store(at: directory.store, entities: After.Human.self)
        #expect(try renamed.all(After.Human.self).map(\.name) == ["Jo", "Mia"])
        try renamed.close()
        let error = #expect(throws: StoreError.self) {
            _ = try Store(at: directory.store, entities: After.Unpinned.self)
        }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("entityName = \"Person\"") == true)
    }

    @Test func `S-128: opens with a type that has a new optional field`() throws {
        let store = try Store(at: directory.store, entities: After.Person.self)
        #expect(
            try store.all(After.Person.self) == [
                After.Person(id: 1, name: "Jo", nickname: nil),
                After.Person(id: 2, name: "Mia", nickname: nil),
            ])
        try store.write { tx in try tx.update(After.Person.self, 2) { $0.nickname = "M" } }
        try store.close()
        let again = try Store(at: directory.store, entities: After.Person.self)
        #expect(try again.get(After.Person.self, 2)?.nickname == "M")
    }

    @Test func `S-133: is refused and untouched if no type fits`() throws {
        let before = try directory.contents()
        for types in [[After.Unpinned.self], [User.self, Pet.self]] as [[any Entity.Type]] {
            let open = { _ = try Store(at: directory.store, entities: types) }
            #expect(code(open) == .unknownEntity)
            #expect(try directory.contents() == before)
        }
    }

    @Test func `S-137: keeps its history in a new shape`() throws {
        let store = try Store(at: directory.store, entities: After.Person.self)
        try store.write { tx in try tx.update(After.Person.self, 1) { $0.nickname = "J" } }
        let history = try store.history(of: After.Person.self, 1)
        #expect(history.map(\.kind) == [.inserted, .updated, .updated])
        #expect(history[0].actor == "ann")
        #expect(try history[1].changes.map(\.description) == ["name: \"John\" → \"Jo\""])
        let first = try store.snapshot(asOf: .sequence(1))
        #expect(try first.get(After.Person.self, 1)?.name == "John")
        #expect(try store.event(1)?.changes.count == 2)
    }

    @Test func `S-135: is refused and untouched if its header is damaged`() throws {
        let whole = try directory.contents()
        let path = try #require(whole.keys.first { $0.contains("/events/") })
        let url = directory.url.appending(path: path)
        let bytes = try #require(whole[path])
        for offset in 0..<16 {
            var damaged = bytes
            damaged[offset] ^= 0x10
            try damaged.write(to: url)
            let before = try directory.contents()
            #expect(throws: StoreError.self, "byte \(offset)") {
                _ = try Store(at: directory.store, entities: Before.Person.self)
            }
            #expect(try directory.contents() == before)
        }
        try bytes.write(to: url)
        let store = try Store(at: directory.store, entities: Before.Person.self)
        #expect(try store.count(Before.Person.self) == 2)
    }
}
