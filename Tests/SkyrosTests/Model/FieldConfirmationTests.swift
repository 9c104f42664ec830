import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

/// The field that an index reads is compared with the property that a filter reads.
@Suite struct `An index that reads another field than its key path` {
    private struct Pair: Entity, Equatable {
        static let indexes: [Index<Pair>] = [.on(\.b, fields: ["a"])]
        var id: Int
        var a: Int
        var b: Int
        var note = ""
    }

    private struct Plain: Entity {
        static let entityName = "Pair"
        var id: Int
        var a: Int
        var b: Int
        var note = ""
    }

    private func expectRefusal<R>(
        containing parts: String..., location: SourceLocation = #_sourceLocation,
        _ body: () throws -> R
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) { _ = try body() }
        #expect(error?.code == .invalidSchema, sourceLocation: location)
        for part in parts {
            #expect(
                error?.message.contains(part) == true, "\(error?.message ?? "")",
                sourceLocation: location)
        }
    }

    @Test func `is refused by the first record that shows it (F67)`() throws {
        let store = try Store(inMemory: Pair.self)
        expectRefusal(containing: "record 1 of Pair", "\"a\"", "\"b\" has its value") {
            try store.write { try $0.insert(Pair(id: 1, a: 7, b: 8)) }
        }
        expectRefusal { try store.write { try $0.insert([Pair(id: 1, a: 7, b: 8)]) } }
        // Both fields have the same value, so the index is right of these.
        try store.write { try $0.insert((0..<5).map { Pair(id: $0, a: $0 % 2, b: $0 % 2) }) }
        #expect(try store.all(Pair.self, where: \.b == 1).map(\.id) == [1, 3])
        expectRefusal { try store.write { try $0.update(Pair.self, 1) { $0.b = 9 } } }
        expectRefusal { try store.write { try $0.upsert(Pair(id: 9, a: 1, b: 2)) } }
        #expect(try store.all(Pair.self, where: \.b == 1).map(\.id) == [1, 3])
        let deleted = try store.write { try $0.delete(Pair.self, where: \.b == 0) }
        #expect(deleted == 3)
    }

    @Test func `leaves nothing of a call that it refuses`() throws {
        let store = try Store(inMemory: Pair.self)
        try store.write { tx in
            expectRefusal { try tx.insert([Pair(id: 1, a: 1, b: 1), Pair(id: 2, a: 1, b: 2)]) }
            let count = try tx.count(Pair.self)
            #expect(count == 0)
        }
    }

    @Test(arguments: [1, 3_000])
    func `is refused when a store with such records is opened (F67)`(equalCount: Int) throws {
        let directory = try TemporaryDirectory()
        try Store(at: directory.store, entities: Plain.self).writeSync { tx in
            // Only one record tells the two fields apart.
            try tx.insert((0..<equalCount).map { Plain(id: $0, a: $0 % 3, b: $0 % 3) })
            try tx.insert(Plain(id: 77_777, a: 1, b: 2))
        }.close()
        let before = try directory.contents()
        expectRefusal(containing: "record 77777") {
            try Store(at: directory.store, entities: Pair.self)
        }
        #expect(try directory.contents() == before)
        // A reader has nothing to refuse, and does not use the index.
        let archive = try Archive(at: directory.store, entities: [Pair.self])
        #expect(try archive.snapshot().all(Pair.self, where: \.b == 2).map(\.id).last == 77_777)
        try archive.replay { _, state in
            let found = try state.all(Pair.self, where: \.b == 2).map(\.id)
            #expect(found.last == 77_777)
            return true
        }
    }

    @Test func `is refused where the field does not exist`() throws {
        struct Lost: Entity {
            static let indexes: [Index<Lost>] = [.unique(\.b, fields: ["c"])]
            var id: Int
            var b: Int
        }
        let store = try Store(inMemory: Lost.self)
        expectRefusal(containing: "no field \"c\"", "but \"b\", \"id\"", "\"b\" has its value") {
            try store.write { try $0.insert(Lost(id: 1, b: 5)) }
        }
    }

    @Test func `is refused where coding keys exchange two names`() throws {
        struct Swapped: Entity {
            enum CodingKeys: String, CodingKey {
                case id
                case name = "title"
                case title = "name"
            }
            static let indexes: [Index<Swapped>] = [.on(\.name)]
            var id: Int
            var name: String
            var title: String
        }
        let store = try Store(inMemory: Swapped.self)
        try store.write { try $0.insert(Swapped(id: 1, name: "a", title: "a")) }
        expectRefusal(containing: "\"title\" has its value") {
            try store.write { try $0.insert(Swapped(id: 2, name: "a", title: "b")) }
        }
        #expect(try store.all(Swapped.self, where: \.name == "a").map(\.id) == [1])
    }

    @Test func `is refused where a renamed field is asked for by its old name`() throws {
        struct Restaurant: Entity {
            enum CodingKeys: String, CodingKey {
                case id
                case cuisine = "kitchen"
            }
            static let indexes: [Index<Restaurant>] = [.on(\.cuisine)]
            var id: Int
            var cuisine: String?
        }
        let store = try Store(inMemory: Restaurant.self)
        // Nil has no name.
        try store.write { try $0.insert(Restaurant(id: 1, cuisine: nil)) }
        #expect(try store.all(Restaurant.self, where: \.cuisine == nil).map(\.id) == [1])
        expectRefusal(containing: "\\Restaurant.cuisine", "\"kitchen\" has its value", "field:") {
            try store.write { try $0.insert(Restaurant(id: 2, cuisine: "greek")) }
        }
        #expect(try store.all(Restaurant.self, where: \.cuisine == "greek").isEmpty)
    }

    @Test func `is refused for a property that encoding changes`() throws {
        struct Person: Entity {
            static let indexes: [Index<Person>] = [.on(\.lower, field: "name")]
            var id: Int
            var name: String
            var lower: String { name.lowercased() }
        }
        let store = try Store(inMemory: Person.self)
        try store.write { try $0.insert((0..<20).map { Person(id: $0, name: "nonna \($0)") }) }
        #expect(try store.all(Person.self, where: \.lower == "nonna 7").map(\.id) == [7])
        expectRefusal { try store.write { try $0.insert(Person(id: 30, name: "Bella")) } }
    }
}

@Suite struct `An index over what is not stored as such` {
    private struct Address: Codable, Sendable { var city: String }

    private struct Guest: Entity {
        static let indexes: [Index<Guest>] = [
            .on(\.address.city, field: "city"), .on(\.watched, field: "watched"),
        ]
        var id: Int
        var address: Address
        var watched: Int { didSet {} }

        enum CodingKeys: CodingKey { case id, city, watched }

        init(id: Int, city: String, watched: Int) {
            (self.id, address, self.watched) = (id, Address(city: city), watched)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            address = Address(city: try container.decode(String.self, forKey: .city))
            watched = try container.decode(Int.self, forKey: .watched)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(address.city, forKey: .city)
            try container.encode(watched, forKey: .watched)
        }
    }

    @Test func `answers by the name that was given`() throws {
        let directory = try TemporaryDirectory()
        let first = try Store(at: directory.store, entities: Guest.self)
        try first.write { tx in
            try tx.insert((0..<50).map { Guest(id: $0, city: "c\($0 % 5)", watched: $0 / 10) })
        }
        try first.close()
        let store = try Store(at: directory.store, entities: Guest.self)
        #expect(try store.all(Guest.self, where: \.address.city == "c3").map(\.id).count == 10)
        #expect(try store.count(Guest.self, where: \.watched >= 4) == 10)
        let counter = TestCounter()
        let filter = Filter { _ in counter.add() } && \Guest.address.city == "c1"
        #expect(try store.count(Guest.self, where: filter) == 10)
        #expect(counter.value == 10)
        let past = try store.snapshot(asOf: .sequence(1))
        #expect(try past.count(Guest.self, where: \.watched == 2) == 10)
        try store.close()
    }
}

/// Has no value of which all bits are zero, and no initialiser that accepts what others make up.
private struct Strict: Entity {
    enum Level: String, Codable, Sendable { case low, high }

    static let decodings = Locked(0)
    static let indexes: [Index<Strict>] = [.on(\.level), .unique(\.word), .on(\.size)]
    var id: Int
    let word: String
    let level: Level
    let size: Int

    init(id: Int, word: String, level: Level) {
        precondition(word.hasPrefix("skyros-") && id > 0, "made up")
        (self.id, self.word, self.level, size) = (id, word, level, word.count)
    }

    init(from decoder: any Decoder) throws {
        Self.decodings.withLock { $0 += 1 }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            id: container.decode(Int.self, forKey: .id),
            word: container.decode(String.self, forKey: .word),
            level: container.decode(Level.self, forKey: .level))
    }
}

@Suite struct `A type with invariants` {
    @Test func `is never given a value that none of its initialisers made (F67)`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Strict.self)
        #expect(Strict.decodings.withLock { $0 } == 0)
        try store.write { tx in
            try tx.insert((1...60).map { Strict(id: $0, word: "skyros-\($0)", level: .high) })
        }
        #expect(try store.count(Strict.self, where: \.level == .high) == 60)
        #expect(try store.all(Strict.self, where: \.size == 8).count == 9)
        try store.close()
        Strict.decodings.withLock { $0 = 0 }
        let again = try Store(at: directory.store, entities: Strict.self)
        // A few are read at the opening: for each index, to compare the shape, and for the report.
        #expect((1...150).contains(Strict.decodings.withLock { $0 }))
        #expect(try again.all(Strict.self, where: \.word == "skyros-9").map(\.id) == [9])
        try again.close()
    }
}
