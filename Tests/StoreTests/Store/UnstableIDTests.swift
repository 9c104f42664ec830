import Foundation
import TestSupport
import Testing

@testable import Skyros

/// The id is made anew each time a value is decoded, as that of `let id = UUID()`.
private struct Renewed: Entity {
    let id: UUID
    var text: String

    init(text: String) {
        (id, self.text) = (UUID(), text)
    }

    init(from decoder: any Decoder) throws {
        id = UUID()
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }
}

private struct Unlisted: Entity {
    var id = UUID()
    var text: String
    private enum CodingKeys: String, CodingKey { case text }
}

private struct Random: Entity {
    var id: UUID { UUID() }
    var text: String
}

/// Its record has another id than the value, unless that is zero.
private struct Shifted: Entity {
    var id: Int
    var text: String

    init(id: Int, text: String) {
        (self.id, self.text) = (id, text)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id == 0 ? 0 : id + 1, forKey: .id)
        try container.encode(text, forKey: .text)
    }
}

/// The version of `Sometimes` that has written the records.
private struct Steady: Entity {
    static let entityName = "Sometimes"
    var id: Int
    var text: String
}

/// It shifts the ids from 10 on only.
private struct Sometimes: Entity {
    static let indexes: [Index<Sometimes>] = [.on(\.text)]
    var id: Int
    var text: String

    init(id: Int, text: String) {
        (self.id, self.text) = (id, text)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(Int.self, forKey: .id)
        self.id = id < 10 ? id : id + 1
        text = try container.decode(String.self, forKey: .text)
    }
}

/// An id that another field holds.
private struct Book: Entity, Equatable {
    var id: String { isbn }
    var isbn: String
    var title: String
}

/// An id that no field holds.
private struct Seat: Entity, Equatable {
    var id: String { "\(row)/\(number)" }
    var row: Int
    var number: Int
    var isTaken = false
}

/// A value that is encoded otherwise than it is decoded.
private struct WriteOnly: Entity {
    var id: Int
    var secret: String

    init(id: Int, secret: String) {
        (self.id, self.secret) = (id, secret)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
    }
}

/// The ids under which values are written and read.
@Suite struct `A type whose decoded id is another` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The checks of a debug build would refuse the records as values of `Sometimes`.
    private func open(after values: Steady...) throws -> Store {
        let store = try Store(at: directory.store, entities: Steady.self)
        try store.write { try $0.insert(values) }
        try store.close()
        return try Store(at: directory.store, entities: Sometimes.self)
    }

    private func expectRefusal<E: Entity>(
        of value: E, _ words: String..., location: SourceLocation = #_sourceLocation
    ) throws {
        let store = try Store(inMemory: E.self)
        let calls: [(inout WriteTransaction) throws -> Void] = [
            { try $0.insert(value) }, { try $0.insert([value]) }, { try $0.upsert(value) },
            { try $0.upsert([value]) },
        ]
        for call in calls {
            let error = #expect(throws: StoreError.self, sourceLocation: location) {
                try store.write { try call(&$0) }
            }
            #expect(error?.code == .notEncodable, sourceLocation: location)
            #expect(error?.place.entity == E.entityName, sourceLocation: location)
            for word in ["\(E.self)"] + words {
                #expect(error?.message.contains(word) == true, sourceLocation: location)
            }
        }
        #expect(store.sequence == 0 && store.snapshot.count(E.entityName) == 0)
    }

    @Test func `is refused at its first write, with what to do (F66)`() throws {
        try expectRefusal(of: Renewed(text: "a"), "declare `id` as a `var`", "CodingKeys")
        try expectRefusal(of: Unlisted(text: "a"), "name it in CodingKeys")
        try expectRefusal(of: Random(text: "a"))
        try expectRefusal(of: Shifted(id: 1, text: "a"), "the id 1 would be read with the id 2")
    }

    @Test func `that cannot be read again is refused at its first write (F68)`() throws {
        try expectRefusal(
            of: WriteOnly(id: 1, secret: "a"), "its record has no field \"secret\"")
    }

    @Test func `is refused at a later write, if the record has it (F66)`() throws {
        let store = try Store(inMemory: Shifted.self)
        try store.write { try $0.insert(Shifted(id: 0, text: "a")) }
        #expect(throws: StoreError(.notEncodable, "")) {
            try store.write { try $0.insert(Shifted(id: 1, text: "a")) }
        }
        #expect(store.snapshot.count("Shifted") == 1)
    }

    @Test func `in a later record is refused where it is read (F66)`() throws {
        let store = try open(
            after: Steady(id: 1, text: "a"), Steady(id: 10, text: "b"), Steady(id: 11, text: "c"))
        let reads: [(Snapshot) throws -> Void] = [
            { _ = try $0.get(Sometimes.self, 10) }, { _ = try $0.all(Sometimes.self) },
            { _ = try $0.withValue(of: Sometimes.self, 10) { $0.text } },
            { _ = try $0.first(Sometimes.self, where: \.text == "b") },
            { _ = try $0.all(Sometimes.self, where: Filter { $0.id > 0 }) },
        ]
        for read in reads {
            let error = #expect(throws: StoreError.self) { try read(store.snapshot) }
            #expect(error?.code == .notDecodable && error?.place.entity == "Sometimes")
            #expect([[RecordID(10)], [RecordID(11)]].contains(error?.place.ids))
        }
        #expect(throws: StoreError(.notDecodable, "")) {
            try store.write { try $0.update(Sometimes.self, 10) { $0.text = "d" } }
        }
        let (values, unreadable) = try store.allReadable(Sometimes.self)
        #expect(values.map(\.id) == [1] && unreadable.map(\.id) == [RecordID(10), RecordID(11)])
    }

    @Test func `does not make a deletion report what did not happen (F66)`() throws {
        let store = try open(
            after: Steady(id: 9, text: "a"), Steady(id: 10, text: "b"), Steady(id: 11, text: "a"))
        // The index finds the row, and nothing is decoded.
        let count = try store.write { try $0.delete(Sometimes.self, where: \.text == "b") }
        #expect(count == 1 && store.snapshot.count("Sometimes") == 2)
        #expect(try !store.exists(Sometimes.self, 10) && store.exists(Sometimes.self, 11))
        #expect(throws: StoreError(.notDecodable, "")) {
            try store.write { try $0.delete(Sometimes.self, where: Filter { $0.id == 12 }) }
        }
        #expect(store.snapshot.count("Sometimes") == 2)
        #expect(try store.write { try $0.delete(Sometimes.self, 11) })
    }

    @Test func `is written if the id comes from other fields (F66)`() throws {
        let store = try Store(inMemory: Book.self, Seat.self)
        try store.write { tx in
            for number in 1...3 {
                try tx.insert(Book(isbn: "978-\(number)", title: "T"))
                try tx.insert(Seat(row: 1, number: number))
            }
            try tx.update(Book.self, "978-2") { $0.title = "U" }
            try tx.update(Seat.self, "1/2") { $0.isTaken = true }
        }
        #expect(try store.get(Book.self, "978-2")?.title == "U")
        #expect(try store.get(Seat.self, "1/2")?.isTaken == true)
        #expect(throws: StoreError(.idChanged, "")) {
            try store.write { try $0.update(Seat.self, "1/2") { $0.row = 2 } }
        }
    }

    @Test func `is compared in the field that holds the id (F66)`() throws {
        let check = IdentityCheck()
        let book = Book(isbn: "1", title: "2")
        let record = try RecordCoding.encode(book)
        try check.check(record, as: Book.self, RecordID("1"))
        // Not the first field that happens to have the value.
        #expect(throws: StoreError(.notEncodable, "")) {
            try check.check(record, as: Book.self, RecordID("2"))
        }
        try check.check(
            RecordCoding.encode(Book(isbn: "3", title: "3")), as: Book.self, RecordID("3"))
    }
}
