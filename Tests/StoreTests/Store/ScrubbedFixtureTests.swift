import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Fixtures of what is scrubbed already, and of fields that an evolution changes.
@Suite struct `A scrubbed fixture` {
    private let disk = SimulatedDisk()

    /// A new store with untyped records of the first shape.
    private func write(_ entity: String, _ records: [NamedValues<FieldValue>]) throws {
        let store = try Store(.untyped, Store.Options(), Environment(disk: disk))
        for fields in records {
            let id = try RecordID(#require(fields["id"]))
            let record = try Record(entity: entity, id: id, fields: Fields(fields))
            try store.write { try $0.insert(record) }
        }
        try store.close()
    }

    private func fixture(
        of disk: SimulatedDisk, keeping count: Int? = nil, _ fields: String...
    ) throws -> (disk: SimulatedDisk, report: FixtureReport) {
        let target = SimulatedDisk()
        let report = try Archive(on: disk).writeFixture(
            onto: Environment(disk: target), keeping: count, scrubbing: Scrubbing(fields))
        return (target, report)
    }

    /// The values of a field of all records, in the order of the numbers of the records.
    private func values(_ field: String, _ entity: String, on disk: SimulatedDisk) throws
        -> [FieldValue]
    {
        try Archive(on: disk).snapshot().records(entity).sorted { a, b in
            (a["number"]?.integer ?? 0) < (b["number"]?.integer ?? 0)
        }.compactMap { $0[field] }
    }

    @Test func `is scrubbed again and again`() throws {
        try write(
            "Customer",
            (1...40).map { number in
                [
                    "id": .uuid(UUID()), "number": .integer(Int128(number)),
                    "name": .text("name-\(number)"), "phone": .integer(1_000_000 + Int128(number)),
                    "page": .tagged(32, .text("https://example.invalid/page-\(number)")),
                    "note": .text("name-\(number), \(1_000_000 + number)"),
                ]
            })
        var last = disk
        for _ in 1...3 {
            let next = try fixture(
                of: last, "Customer.name", "Customer.id", "Customer.phone", "Customer.page")
            #expect(next.report.pseudonymCount == 160)
            for field in ["name", "id", "phone", "page"] {
                let before = try Set(values(field, "Customer", on: last))
                let after = try Set(values(field, "Customer", on: next.disk))
                #expect(after.count == 40 && after.isDisjoint(with: before), "\(field)")
            }
            let names = try values("name", "Customer", on: next.disk)
            let phones = try values("phone", "Customer", on: next.disk)
            let notes = try values("note", "Customer", on: next.disk)
            for (name, (phone, note)) in zip(names, zip(phones, notes)) {
                let expected = try "\(#require(name.text)), \(#require(phone.integer))"
                #expect(note == .text(expected))
            }
            last = next.disk
        }
        // The same log has the same pseudonyms.
        let again = try fixture(of: disk, "Customer.name").disk
        let name = try values("name", "Customer", on: again).first
        #expect(name == .text("name-41"))
    }

    @Test func `has codes that are parts of the pseudonyms of others`() throws {
        try write(
            "Item",
            (100..<340).map { number in
                [
                    "id": .integer(Int128(number)), "number": .integer(Int128(number)),
                    "code": .text("\(number)"),
                ]
            })
        // Those of the numbers of events, too.
        let target = try fixture(of: disk, keeping: 50, "Item.code").disk
        let codes = try values("code", "Item", on: target)
        #expect(codes.first == .text("code-1") && codes.last == .text("code-240"))
    }

    private struct Person: Entity {
        var id: Int
        var number: Int
        var zip: Int
        var age: UInt8
        var floor: Int8
        var port: UInt16
    }

    @Test func `has integers that fit where the originals did`() throws {
        let store = try Store(on: disk, entities: Person.self)
        try store.write { tx in
            for number in 1...300 {
                try tx.insert(
                    Person(
                        id: number, number: number, zip: 10_000 + number,
                        age: number <= 5 ? 250 + UInt8(number) : UInt8(number % 100),
                        floor: number <= 5 ? -128 + Int8(number) : 3,
                        port: number <= 5 ? 65_535 - UInt16(number) : 80))
            }
        }
        try store.close()
        let names = ["zip", "age", "floor", "port"].map { "Person.\($0)" }
        let target = SimulatedDisk()
        _ = try Archive(on: disk).writeFixture(
            onto: Environment(disk: target), scrubbing: Scrubbing(names))
        // Each record is decoded, so its numbers fit their fields.
        let people = try Store(on: target, entities: Person.self)
            .all(Person.self, sortedBy: \.number)
        #expect(people.count == 300 && Set(people.map(\.zip)).count == 300)
        #expect(Set(people.map(\.age)).count == 105)
        #expect(people.prefix(5).allSatisfy { $0.age >= 128 && $0.floor < 0 })
        #expect(Set(people.map(\.floor)).count == 6 && Set(people.map(\.port)).count == 6)
        for (person, number) in zip(people, 1...300) {
            #expect(person.zip != 10_000 + number)
            if number > 5 { #expect(Int(person.age) != number % 100) }
        }
    }

    private struct Sheet: Entity, Equatable {
        var id: Int
        var number: Int
        var phone: Int?
        var device: UUID?
        var weight: Double?
        var price: Decimal?
        var born: Date?
        var page: URL?
        var isOpen: Bool?
        var isPaid: Bool?
        var count: Int?
        var level: Bool?
        var code: String?
        var ratio: String?
        var key: String?
        var seen: Date?
        static let evolution: Evolution<Sheet> = [
            .version(2) {
                .rename("telephone", to: "phone").retype("phone", .textToInteger)
                    .retype("device", .textToUUID).retype("weight", .textToReal)
                    .retype("price", .textToDecimal).retype("born", .textToDate)
                    .retype("page", .textToURL).retype("isOpen", .integerToBoolean)
                    .retype("isPaid", .textToBoolean).retype("count", .realToInteger)
                    .retype("level", .textToInteger).retype("code", .integerToText)
                    .retype("ratio", .realToText).retype("key", .uuidToText)
                    .retype("seen", .secondsToDate)
            },
            .version(3) { .retype("level", .integerToBoolean) },
        ]
        static let scrubbed = [
            "phone", "device", "weight", "price", "born", "page", "isOpen", "isPaid", "count",
            "level", "code", "ratio", "key", "seen",
        ].map { "Sheet.\($0)" }
    }

    @Test func `is read where a field has got another type`() throws {
        func sheet(_ number: Int, _ isTrue: Bool) -> NamedValues<FieldValue> {
            let digits = "\(number)\(number)\(number)"
            return [
                "id": .integer(Int128(number)), "number": .integer(Int128(number)),
                "telephone": .text("0\(number)2345678"),
                "device": .text("4E1A0A5C-0000-4000-8000-000000000\(digits)"),
                "weight": .text("\(number).25"), "price": .text("\(number).50"),
                "born": .text("198\(number)-03-01T12:00:00Z"),
                "page": .text("https://example.com/\(number)"),
                "isOpen": isTrue ? 1 : 0, "isPaid": .text(isTrue ? "true" : "false"),
                "count": .double(Double(number)), "level": .text(isTrue ? "1" : "0"),
                "code": .integer(Int128(number) * 100), "ratio": .double(Double(number) + 0.75),
                "key": .uuid(UUID(random: (7, UInt64(number)))), "seen": .integer(1_700_000_000),
            ]
        }
        try write("Sheet", [sheet(1, true), sheet(2, false), sheet(3, true)])
        // The same values in the newest shape.
        let store = try Store(on: disk, entities: Sheet.self)
        let originals = try store.all(Sheet.self, sortedBy: \.number)
        for original in originals {
            try store.write { tx in
                var copy = original
                copy.id += 10
                copy.number += 10
                copy.seen = nil
                try tx.insert(copy)
            }
        }
        try store.close()
        let target = SimulatedDisk()
        _ = try Archive(on: disk).writeFixture(
            onto: Environment(disk: target), scrubbing: Scrubbing(Sheet.scrubbed))
        let sheets = try Store(on: target, entities: Sheet.self)
            .all(Sheet.self, sortedBy: \.number)
        #expect(sheets.count == 6)
        for (old, new) in zip(sheets.prefix(3), sheets.suffix(3)) {
            var copy = old
            copy.id += 10
            copy.number += 10
            copy.seen = nil
            #expect(new == copy)
        }
        for (sheet, original) in zip(sheets, originals) {
            #expect(sheet.phone != original.phone && sheet.phone ?? 0 > 1_000_000)
            #expect(sheet.device != original.device && sheet.weight != original.weight)
            #expect(sheet.price != original.price && sheet.born != original.born)
            #expect(sheet.page != original.page && sheet.code != original.code)
            #expect(sheet.ratio != original.ratio && sheet.key != original.key)
        }
        #expect(Set(sheets.map(\.phone)).count == 3 && Set(sheets.map(\.price)).count == 3)
        #expect(sheets[0].isOpen == sheets[2].isOpen && sheets[0].isOpen != sheets[1].isOpen)
        #expect(sheets[0].level == sheets[2].level && sheets[0].level != sheets[1].level)
    }

    @Test func `has another text for each text, also of the same number`() throws {
        struct Line: Entity {
            var id: Int
            var number: Int
            var phone: Int
            var price: Decimal
            static let evolution: Evolution<Line> = [
                .version(2) { .retype("phone", .textToInteger).retype("price", .textToDecimal) }
            ]
        }
        let texts = ["7", "07", "+7", "8", "1", "01"]
        try write(
            "Line",
            texts.enumerated().map { number, text in
                let number = FieldValue.integer(Int128(number))
                let price = FieldValue.text(text + ".50")
                return ["id": number, "number": number, "phone": .text(text), "price": price]
            })
        // The log does not know the newest shape, but the types do.
        let target = SimulatedDisk()
        _ = try Archive(on: disk, entities: [Line.self]).writeFixture(
            onto: Environment(disk: target), scrubbing: Scrubbing("Line.phone", "Line.price"))
        let phones = try values("phone", "Line", on: target).compactMap(\.text)
        let prices = try values("price", "Line", on: target).compactMap(\.text)
        #expect(Set(phones + prices).count == 12)
        #expect(zip(texts, zip(phones, prices)).allSatisfy { $0 != $1.0 && $0 + ".50" != $1.1 })
        let lines = try Store(on: target, entities: Line.self).all(Line.self, sortedBy: \.number)
        #expect(lines[0].phone == lines[1].phone && lines[0].phone == lines[2].phone)
        #expect(lines[4].phone == lines[5].phone)
        #expect(Set(lines.map(\.phone)).count == 3 && Set(lines.map(\.price)).count == 3)
    }

    @Test func `is refused where its records could not be read`() throws {
        struct Person: Entity {
            var id: Int
            var phone: String
            var area: Int
            var rest: String
            static let evolution: Evolution<Person> = [
                .version(2) {
                    .split("address", into: ["area", "rest"], at: " ")
                        .retype("area", .textToInteger)
                }
            ]
        }
        try write("Person", [["id": 1, "phone": "12 Elm Street", "address": "12 Elm Street"]])
        let store = try Store(on: disk, entities: Person.self)
        try store.write { try $0.insert(Person(id: 2, phone: "", area: 1, rest: "")) }
        try store.close()
        let target = SimulatedDisk()
        for name in ["Person.address", "Person.phone"] {
            let error = failure(as: StoreError.self) {
                _ = try Archive(on: disk).writeFixture(
                    onto: Environment(disk: target), scrubbing: Scrubbing(name))
            }
            #expect(error?.code == .invalidInput && error?.place.entity == "Person")
            #expect(error?.message.contains("nothing was written") == true)
            #expect(error?.message.contains("Elm Street") == false)
            #expect(target.contents.isEmpty)
        }
        // Without scrubbing it can be read.
        _ = try Archive(on: disk).writeFixture(onto: Environment(disk: target))
        #expect(try Store(on: target, entities: Person.self).get(Person.self, 1)?.area == 12)
    }

    @Test func `keeps the values that the program itself gives to a field`() throws {
        struct Guest: Entity {
            var id: Int
            var number: Int
            var phone: String
            var tier: String
            var score: Int
            var home: [String: String]
            static let evolution: Evolution<Guest> = [
                .version(2) {
                    .add("phone", "phone-1").add("tier", "basic").add("points", "0")
                        .add("home", ["town": "nowhere"])
                },
                .version(3) { .rename("points", to: "score").retype("score", .textToInteger) },
            ]
        }
        try write(
            "Guest", [["id": 1, "number": 1, "name": "basic"], ["id": 2, "number": 2]])
        let store = try Store(on: disk, entities: Guest.self)
        try store.write { tx in
            for (id, phone, score) in [(3, "phone-1", 0), (4, "555-0100", 1), (5, "basic", 7)] {
                let home = ["town": id == 3 ? "nowhere" : "Ulm"]
                try tx.insert(
                    Guest(
                        id: id, number: id, phone: phone, tier: "basic", score: score, home: home))
            }
        }
        try store.close()
        let names = ["Guest.name", "Guest.phone", "Guest.score", "Guest.home"]
        let target = SimulatedDisk()
        let report = try Archive(on: disk).writeFixture(
            onto: Environment(disk: target), scrubbing: Scrubbing(names))
        // Two names or phones, two scores, and a town.
        #expect(report.pseudonymCount == 5)
        let guests = try Store(on: target, entities: Guest.self)
            .all(Guest.self, sortedBy: \.number)
        #expect(guests.prefix(3).map(\.phone) == ["phone-1", "phone-1", "phone-1"])
        #expect(guests.prefix(3).map(\.score) == [0, 0, 0])
        #expect(guests.prefix(3).allSatisfy { $0.home == ["town": "nowhere"] })
        #expect(guests[3].phone == "phone-2" && guests[4].phone == "name-1")
        #expect(guests[3].score == 2 && guests[4].score == 3)
        #expect(guests[3].home == ["town": "home-1"])
        // The default of a field that is not scrubbed is no value of the scrubbed one.
        #expect(try values("name", "Guest", on: target) == [.text("name-1")])
    }
}
