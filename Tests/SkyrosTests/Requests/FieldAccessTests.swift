import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A field by name` {
    private enum Color: String, Codable { case red, green }

    private struct Car: Entity, Equatable {
        enum CodingKeys: String, CodingKey {
            case id, color, site, seats
            case owner = "keeper"
        }
        static let indexes: [Index<Car>] = [.unique(\.seats)]
        var id: Int
        var color: Color
        var site: String?
        var seats: Int
        var owner: String?
    }

    private let store: Store
    private let car = Car(id: 1, color: .red, site: "https://skyros.example", seats: 4)

    init() throws {
        store = try Store(inMemory: Car.self)
        let car = car
        try store.write { try $0.insert([car, Car(id: 2, color: .green, seats: 5)]) }
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self) { try body() }
    }

    @Test func `is read as a value of a type, or a typed error says why not`() throws {
        #expect(try store.value(of: "color", in: Car.self, 1, as: Color.self) == .red)
        #expect(try store.value(of: Car.CodingKeys.seats, in: Car.self, 1, as: Int.self) == 4)
        #expect(try store.value(of: "keeper", in: Car.self, 1, as: String?.self) == nil)
        let required = error { _ = try store.value(of: "keeper", in: Car.self, 1, as: String.self) }
        #expect(required?.code == .unknownField)
        let unknown = error { _ = try store.value(of: "owner", in: Car.self, 1, as: String?.self) }
        #expect(unknown?.code == .unknownField)
        #expect(unknown?.place.field == "owner")
        #expect(unknown?.place.ids == [RecordID(1)])
        let misfit = error { _ = try store.value(of: "color", in: Car.self, 1, as: Int.self) }
        #expect(misfit?.code == .notDecodable)
        let missing = error { _ = try store.value(of: "color", in: Car.self, 9, as: Color.self) }
        #expect(missing?.code == .notFound)
    }

    @Test func `is set in a block, which sees it`() throws {
        try store.write { tx in
            try tx.set(Car.self, 1, ["color": "green", "keeper": "Ada", "site": nil])
            #expect(try tx.value(of: "keeper", in: Car.self, 1, as: String.self) == "Ada")
            try tx.set(Car.self, 1, [Car.CodingKeys.seats: 7])
        }
        #expect(try store.get(Car.self, 1) == Car(id: 1, color: .green, seats: 7, owner: "Ada"))
        try store.write { try $0.set(Car.self, 1, [:]) }
        #expect(store.sequence == 2)
    }

    @Test func `changes nothing if one of several cannot be set`() throws {
        let cases: [([String: FieldValue?], StoreError.Code, String?)] = [
            (["seats": 9, "owner": "Ada"], .unknownField, "owner"),
            (["seats": 9, "wheels": nil], .unknownField, "wheels"),
            (["keeper": "Ada", "seats": "many"], .notDecodable, "seats"),
            (["keeper": "Ada", "seats": nil], .notDecodable, "seats"),
            (["keeper": "Ada", "color": "pink"], .notDecodable, "color"),
            (["keeper": "Ada", "id": 2], .idChanged, nil),
        ]
        for (values, code, field) in cases {
            let refused = error { try store.write { try $0.set(Car.self, 1, values) } }
            #expect(refused?.code == code, "\(values)")
            #expect(refused?.place.field == field)
        }
        let missing = error { try store.write { try $0.set(Car.self, 9, ["seats": 9]) } }
        #expect(missing?.code == .notFound)
        let taken = error { try store.write { try $0.set(Car.self, 1, ["seats": 5]) } }
        #expect(taken?.code == .uniqueViolation)
        #expect(store.sequence == 1)
        #expect(try store.get(Car.self, 1) == car)
    }

    @Test func `is kept if the type does not know it`() throws {
        struct Wide: Entity {
            static let entityName = "Car"
            var id: Int
            var color: Color
            var seats: Int
            var extra: String
        }
        try store.write { try $0.upsert(Wide(id: 1, color: .red, seats: 4, extra: "kept")) }
        try store.write { try $0.set(Car.self, 1, ["seats": 6]) }
        #expect(try store.get(Wide.self, 1)?.extra == "kept")
        #expect(try store.value(of: "extra", in: Car.self, 1, as: String.self) == "kept")
        let unknown = error { try store.write { try $0.set(Car.self, 1, ["extra": "changed"]) } }
        #expect(unknown?.code == .unknownField)
    }

    @Test func `of a record has values of any type`() throws {
        var record = try #require(try store.record("Car", RecordID(1)))
        #expect(try record.value("color", as: Color.self) == .red)
        #expect(try record.value(Car.CodingKeys.seats, as: Int.self) == 4)
        #expect(try record.value("nothing", as: Int?.self) == nil)
        #expect(error { _ = try record.value("nothing", as: Int.self) }?.code == .unknownField)
        #expect(error { _ = try record.value("color", as: Int.self) }?.code == .notDecodable)

        let site = try #require(URL(string: "https://skyros.example/a?b=c"))
        try record.set("site", to: site, by: .urlText)
        #expect(record["site"] == .text(site.absoluteString))
        #expect(try record.value("site", by: .urlText) == site)
        try record.set("color", to: Color.green, by: .rawValue)
        let color: Color = try record.value("color", by: .rawValue)
        #expect(color == .green)
        record["color"] = "pink"
        let unloadable = error { let _: Color = try record.value("color", by: .rawValue) }
        #expect(unloadable?.code == .notDecodable)
        #expect(unloadable?.cause?.contains("pink") == true)
        try record.set("site", to: URL?.none, by: .urlText)
        #expect(try record.value("site", by: .urlText, as: URL?.self) == nil)

        try record.set("seats", to: 8)
        try record.set(Car.CodingKeys.owner, to: "Bob")
        try record.set("size", to: Double?.none)
        try record.set([Car.CodingKeys.color: "red", .seats: 9])
        #expect(record.fieldNames == ["id", "color", "seats", "keeper"])
        #expect(try record.decode(as: Car.self) == Car(id: 1, color: .red, seats: 9, owner: "Bob"))
        let before = record
        var deep = FieldValue.array([])
        for _ in 0..<200 { deep = .array([deep]) }
        #expect(error { try record.set(["seats": 1, "deep": deep]) }?.code == .notEncodable)
        #expect(record == before)
    }
}

@Suite struct `Many records` {
    private struct Note: Entity, Equatable {
        var id: String
        var text = ""
    }

    @Test func `are read, tested and deleted by their ids`() throws {
        let store = try Store(inMemory: Note.self)
        let notes = ["a", "b", "c"].map { Note(id: $0, text: "note \($0)") }
        try store.write { tx in
            try tx.insert(notes)
            #expect(try tx.get(Note.self, ["c", "x", "a"]) == [notes[2], nil, notes[0]])
            #expect(try tx.exists(Note.self, ["a", "b"]))
        }
        #expect(try store.get(Note.self, [String]()).isEmpty)
        #expect(try !store.exists(Note.self, ["a", "x"]))
        #expect(try !store.exists(Note.self, [String]()))
        let deleted = try store.write { tx in
            let count = try tx.delete(Note.self, ["a", "x", "a"])
            #expect(try tx.refresh(notes).missing == ["a"])
            return try (count, tx.delete([notes[0], notes[1]]))
        }
        #expect(deleted.0 == 1 && deleted.1 == 1)
        #expect(try store.all(Note.self) == [notes[2]])
    }
}
