import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A write block` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Restaurant.self, Counter.self, Note.self)
    }

    @Test func `is visible to every later read`() throws {
        let nonna = Restaurant(name: "Nonna", cuisine: "italian")
        try store.write { try $0.insert(nonna) }
        #expect(try store.get(Restaurant.self, nonna.id) == nonna)
        #expect(try store.all(Restaurant.self) == [nonna])
        #expect(try store.exists(Restaurant.self, nonna.id))
        #expect(try store.count(Restaurant.self) == 1)
    }

    @Test func `returns what its closure returns`() throws {
        #expect(try store.write { _ in 42 } == 42)
    }

    @Test func `sees its own changes, which others see only after it ends`() throws {
        try store.write { tx in
            try tx.insert(Note(id: 1, text: "one"))
            try tx.insert(Note(id: 2, text: "two"))
            #expect(try tx.count(Note.self) == 2)
            #expect(try tx.get(Note.self, 1)?.text == "one")
            #expect(try store.count(Note.self) == 0)
            try tx.delete(Note.self, 1)
            #expect(try tx.count(Note.self) == 1)
            #expect(try tx.all(Note.self).map(\.id) == [2])
            #expect(try !tx.exists(Note.self, 1))
            #expect(try tx.first(Note.self)?.id == 2)
        }
        #expect(try store.count(Note.self) == 1)
    }

    @Test func `that throws changes nothing (F45)`() throws {
        struct Refusal: Error {}
        try store.write { try $0.insert(Note(id: 1, text: "kept")) }
        #expect(throws: Refusal.self) {
            try store.write { tx in
                try tx.insert(Note(id: 2, text: "lost"))
                try tx.update(Note.self, 1) { $0.text = "lost" }
                throw Refusal()
            }
        }
        #expect(try store.all(Note.self) == [Note(id: 1, text: "kept")])
        #expect(store.sequence == 1)
    }

    @Test func `that changes nothing succeeds without an event`() throws {
        let (_, receipt) = try store.writeWithReceipt { tx in
            try tx.insert(Note(id: 1, text: "gone"))
            try tx.delete(Note.self, 1)
        }
        #expect(receipt.sequence == nil)
        #expect(store.sequence == .zero)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.write { try $0.update(Note(id: 1, text: "a")) }
        let existed = try store.write { try $0.delete(Note.self, 99) }
        #expect(!existed)
        #expect(store.sequence == 1)
    }

    @Test func `becomes one event, with any number of changes`() throws {
        try store.write { tx in
            for id in 0..<100 { try tx.insert(Note(id: id, text: "\(id)")) }
        }
        #expect(store.sequence == 1)
        #expect(try store.event(1)?.changes.count == 100)
    }

    @Test func `with thousands of changes is atomic, and in no earlier snapshot`() throws {
        let before = store.snapshot
        try store.write { try $0.insert((0..<3_000).map { Note(id: $0, text: "a") }) }
        let between = store.snapshot
        try store.write { tx in
            for id in 0..<3_000 { try tx.update(Note.self, id) { $0.text = "b" } }
        }
        #expect(before.count("Note") == 0)
        #expect(try between.count(Note.self, where: \.text == "a") == 3_000)
        #expect(try store.read { try $0.count(Note.self, where: \.text == "b") } == 3_000)
        #expect(try store.snapshot.digest() == store.snapshot(asOf: .sequence(2)).digest())
    }

    @Test func `may swap two unique values`() throws {
        let a = Restaurant(name: "A", cuisine: "x")
        let b = Restaurant(name: "B", cuisine: "x")
        try store.write { try $0.insert([a, b]) }
        try store.write { tx in
            try tx.update(Restaurant.self, a.id) { $0.name = "B" }
            try tx.update(Restaurant.self, b.id) { $0.name = "A" }
        }
        #expect(try store.get(Restaurant.self, a.id)?.name == "B")
    }

    @Test func `deletes all records of one entity as one change`() throws {
        try store.write { tx in
            try tx.insert((0..<10).map { Note(id: $0, text: "n") })
            try tx.insert(Counter(id: "c", value: 1))
        }
        let count = try store.write { try $0.deleteAll(Note.self) }
        #expect(count == 10)
        #expect(try store.count(Note.self) == 0)
        #expect(try store.count(Counter.self) == 1)
        #expect(try store.event(2)?.changes == [.cleared(entity: "Note", count: 10)])
    }

    @Test func `may insert after deleting all`() throws {
        try store.write { try $0.insert([Note(id: 1, text: "old"), Note(id: 2, text: "old")]) }
        try store.write { tx in
            try tx.deleteAll(Note.self)
            try tx.insert(Note(id: 1, text: "new"))
            #expect(try tx.count(Note.self) == 1)
        }
        #expect(try store.all(Note.self) == [Note(id: 1, text: "new")])
        #expect(try store.event(2)?.changes.count == 2)
    }

    @Test func `deletes by filter`() throws {
        try store.write { try $0.insert((0..<10).map { Note(id: $0, text: "\($0 % 2)") }) }
        let count = try store.write { try $0.delete(Note.self, where: \.text == "1") }
        #expect(count == 5)
        #expect(try store.count(Note.self) == 5)
    }

    @Test func `upserts one or many`() throws {
        try store.write { try $0.upsert(Note(id: 1, text: "a")) }
        try store.write { try $0.upsert([Note(id: 1, text: "b"), Note(id: 2, text: "c")]) }
        #expect(try store.all(Note.self).map(\.text) == ["b", "c"])
        #expect(store.sequence == 2)
    }

    @Test func `updates by value, one or many, and by closure with a result`() throws {
        try store.write { try $0.insert([Note(id: 1, text: "a"), Note(id: 2, text: "b")]) }
        try store.write { try $0.update([Note(id: 1, text: "x"), Note(id: 2, text: "y")]) }
        let length = try store.write { tx in
            try tx.update(Note.self, 1) { note in
                note.text += "!"
                return note.text.count
            }
        }
        #expect(length == 2)
        #expect(try store.all(Note.self).map(\.text) == ["x!", "y"])
    }

    @Test func `deletes by value`() throws {
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        #expect(try store.write { try $0.delete(Note(id: 1, text: "other")) })
        #expect(try store.count(Note.self) == 0)
    }

    @Test func `can be chained`() throws {
        struct Tidying: DomainCommand { var first: Int }
        var seen: [Int] = []
        try store
            .writeSync { try $0.insert(Note(id: 1, text: "a")) }
            .writeSync(by: "x", because: "y", durability: .durable) {
                try $0.insert(Note(id: 2, text: "b"))
            }
            .read { seen.append(try $0.count(Note.self)) }
            .writeSync(metadata: Metadata(tags: ["a": "b"]), intent: Tidying(first: 1)) {
                try $0.delete(Note.self, 1)
            }
            .read { seen.append(try $0.count(Note.self)) }
        #expect(seen == [2, 1])
        let last = try #require(try store.event(3))
        #expect(last.metadata.tags == ["a": "b"])
        #expect(last.intent?.name == "Tidying")
    }

    @Test func `gives a receipt that can wait for durability`() throws {
        let first = try store.writeWithReceipt { try $0.insert(Note(id: 1, text: "a")) }.receipt
        #expect(first.sequence == 1)
        #expect(first.durability == .buffered)
        try first.waitUntilDurable()
        let second = try store.writeWithReceipt(durability: .durable) {
            try $0.insert(Note(id: 2, text: "b"))
        }.receipt
        #expect(second.durability == .durable)
        let third = try store.writeWithReceipt(durability: .deferred) {
            try $0.insert(Note(id: 3, text: "c"))
        }.receipt
        #expect(third.durability == .deferred)
    }
}

@Suite struct `A refused change` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Restaurant.self, Note.self)
    }

    private func code(_ body: (inout WriteTransaction) throws -> Void) -> StoreError.Code? {
        failure(as: StoreError.self) { try store.write(body) }?.code
    }

    @Test func `names every id that exists already`() throws {
        try store.write { try $0.insert([Note(id: 1, text: "a"), Note(id: 2, text: "b")]) }
        #expect(code { try $0.insert(Note(id: 1, text: "x")) } == .duplicateID)
        do {
            try store.write { tx in
                try tx.insert((0..<4).map { Note(id: $0, text: "x") } + [Note(id: 3, text: "y")])
            }
            Issue.record("the ids are taken")
        } catch let error as StoreError {
            #expect(error.code == .duplicateID)
            #expect(try error.place.ids.map { try $0.decode(as: Int.self) } == [1, 2, 3])
        }
        #expect(try store.count(Note.self) == 2)
    }

    @Test func `names every missing record`() throws {
        #expect(code { try $0.update(Note(id: 1, text: "x")) } == .notFound)
        #expect(code { try $0.update(Note.self, 1) { $0.text = "" } } == .notFound)
        do {
            try store.write { try $0.update([Note(id: 7, text: ""), Note(id: 8, text: "")]) }
            Issue.record("the records are missing")
        } catch let error as StoreError {
            #expect(try error.place.ids.map { try $0.decode(as: Int.self) } == [7, 8])
            #expect(error.place.entity == "Note")
        }
    }

    @Test func `of an id fails with idChanged`() throws {
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        #expect(code { try $0.update(Note.self, 1) { $0.id = 2 } } == .idChanged)
    }

    @Test func `names every record that violates a unique index`() throws {
        let first = Restaurant(name: "Nonna", cuisine: "a")
        try store.write { try $0.insert(first) }
        let twin = Restaurant(name: "Nonna", cuisine: "b")
        do {
            try store.write { try $0.insert(twin) }
            Issue.record("the name is taken")
        } catch let error as StoreError {
            #expect(error.code == .uniqueViolation)
            #expect(try error.place.ids == [RecordID(encoding: twin.id)])
        }
        #expect(
            code { tx in
                try tx.delete(first)
                try tx.insert(twin)
            } == nil)
    }

    @Test func `of an entity that the store was not opened with fails`() throws {
        struct Stranger: Entity { var id: Int }
        #expect(code { try $0.insert(Stranger(id: 1)) } == .unknownEntity)
    }

    @Test func `in a nested write on the same store leaves the outer write intact (F47)`() throws {
        let other = try Store(inMemory: Note.self)
        try store.write { tx in
            #expect(throws: StoreError(.nestedWrite, "")) {
                try store.write { try $0.insert(Note(id: 9, text: "inner")) }
            }
            try other.write { try $0.insert(Note(id: 1, text: "another store is fine")) }
            try tx.insert(Note(id: 1, text: "outer"))
        }
        #expect(try store.all(Note.self).map(\.text) == ["outer"])
    }

    @Test func `of a value that does not encode as fields fails with notEncodable`() throws {
        struct Bare: Entity {
            var id: Int
            init(id: Int) { self.id = id }
            init(from decoder: any Decoder) throws {
                id = try decoder.singleValueContainer().decode(Int.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(id)
            }
        }
        let bare = try Store(inMemory: Bare.self)
        #expect(throws: StoreError(.notEncodable, "")) {
            try bare.write { try $0.insert(Bare(id: 1)) }
        }
    }

    /// Fails to encode if its number is odd.
    private struct Picky: Entity {
        struct Odd: Error {}

        var id: Int
        var number: Int

        func encode(to encoder: any Encoder) throws {
            guard number % 2 == 0 else { throw Odd() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(number, forKey: .number)
        }
    }

    @Test(arguments: ["insert", "update", "upsert"])
    func `of several values stages none if one cannot be encoded`(call: String) throws {
        let picky = try Store(inMemory: Picky.self)
        try picky.write { try $0.insert([Picky(id: 1, number: 0), Picky(id: 2, number: 0)]) }
        let first = call == "insert" ? 3 : 1
        let values = [Picky(id: first, number: 2), Picky(id: first + 1, number: 3)]
        try picky.write { tx in
            // The block continues after the error, so staged values would be committed.
            #expect(throws: StoreError(.notEncodable, "")) {
                switch call {
                case "insert": try tx.insert(values)
                case "update": try tx.update(values)
                default: try tx.upsert(values)
                }
            }
        }
        #expect(picky.sequence == 1)
    }
}
