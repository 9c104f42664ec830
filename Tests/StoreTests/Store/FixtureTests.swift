import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Address: Codable, Equatable {
    var street: String
    var zip: Int
}

private struct Customer: Entity, Equatable {
    var id: String
    var name: String
    var phone: Int?
    var address = Address(street: "Elm Street 5", zip: 12_345)
    var device: UUID?
    var note = ""
    static let indexes: [Index<Customer>] = [.unique(\.name)]
}

private struct Visit: Entity, Equatable {
    var id: Int
    var customer: String
    var text: String
}

private struct Register: Command {
    var name: String

    func run(_ tx: inout WriteTransaction) throws -> String {
        try tx.insert(Customer(id: "c-\(name)", name: name))
        return "welcome \(name)"
    }
}

@Suite struct `A fixture` {
    private let disk = SimulatedDisk()
    private let target = SimulatedDisk()
    private let device = UUID()

    private func log(_ write: (Store) throws -> Void) throws -> Archive {
        let store = try Store(on: disk, entities: Customer.self, Visit.self)
        try write(store)
        return try store.archive()
    }

    /// Four events: Bo and Anna Schmidt are registered, Anna gets a phone, and a visit is added.
    private func customers(_ store: Store) throws {
        try store.perform(Register(name: "Bo"), by: "Bo")
        try store.perform(Register(name: "Anna Schmidt"), by: "desk", because: "for Anna Schmidt!")
        try store.write(metadata: Metadata(reason: "phone 4915112345678", tags: ["of": "Bo"])) {
            tx in
            try tx.update(Customer.self, "c-Anna Schmidt") { customer in
                customer.phone = 4_915_112_345_678
                customer.device = device
                customer.note = "device \(device.uuidString), Elm Street 5"
            }
        }
        try store.write { tx in
            let text = "Anna Schmidt and Bo, 4915112345678"
            try tx.insert(Visit(id: 1, customer: "c-Anna Schmidt", text: text))
        }
    }

    private func write(
        _ archive: Archive, last: Int? = nil, through end: SequenceNumber? = nil,
        _ scrubbing: Scrubbing = .none
    ) throws -> (report: FixtureReport, archive: Archive) {
        let report = try archive.writeFixture(
            onto: Environment(disk: target, entropy: SeededEntropy(seed: 9)), keeping: last,
            through: end, scrubbing: scrubbing)
        return (report, try Archive(on: target, entities: [Customer.self, Visit.self]))
    }

    @Test func `has all events as they are`() throws {
        let archive = try log(customers)
        let (report, copy) = try write(archive)
        #expect(
            report.sequence == 4 && report.firstOriginalEvent == 1 && report.pseudonymCount == 0)
        #expect(try Array(copy.events()) == Array(archive.events()))
        #expect(try copy.snapshot().digest() == archive.snapshot().digest())
        #expect(report.digest == (try archive.snapshot().digest()))
        // It is another store.
        #expect(try copy.snapshot().chainHash != archive.snapshot().chainHash)
        let store = try Store(on: target, entities: Customer.self, Visit.self)
        #expect(try store.count(Customer.self) == 2)
        try store.write { try $0.deleteAll(Customer.self) }
    }

    @Test func `has the last events, after the records of before`() throws {
        let archive = try log(customers)
        let (report, copy) = try write(archive, last: 1, through: 3)
        #expect(report.firstOriginalEvent == 3)
        let events = try Array(copy.events())
        #expect(events.map { $0.metadata.actor } == ["skyros.fixture", nil])
        #expect(events[0].metadata.reason == "the records after event 2")
        #expect(events[0].changes.count == 2)
        #expect(!events[0].schemas.isEmpty)
        #expect(events[1].metadata.tags["skyros.event"] == "3")
        let third = try #require(try archive.event(3))
        #expect(events[1].time == third.time)
        #expect(events[0].time < events[1].time)
        let then = try archive.snapshot(asOf: .sequence(3))
        #expect(try copy.snapshot().digest() == then.digest())
        // Uniqueness is what the first event records.
        let store = try Store(on: target, entities: Customer.self, Visit.self)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try store.write { try $0.insert(Customer(id: "x", name: "Bo")) }
        }
    }

    @Test func `inserts many records in several events`() throws {
        let archive = try log { store in
            try store.write { tx in
                for id in 0..<2_500 { try tx.insert(Visit(id: id, customer: "", text: "")) }
            }
            try store.write { try $0.delete(Visit.self, 7) }
        }
        let (report, copy) = try write(archive, last: 1)
        #expect(report.sequence == 4)
        #expect(try Array(copy.events()).map(\.changes.count) == [1_000, 1_000, 500, 1])
        #expect(try copy.snapshot().digest() == archive.snapshot().digest())
    }

    @Test func `has pseudonyms everywhere`() throws {
        let archive = try log(customers)
        let scrubbing = try Scrubbing(
            "Customer.name", "Customer.phone", "Customer.address.street", "Customer.device")
        let (report, copy) = try write(archive, scrubbing)
        #expect(report.pseudonymCount == 5)
        let state = try copy.snapshot()
        let anna = try #require(try state.get(Customer.self, "c-name-2"))
        #expect(anna.name == "name-2" && anna.phone == 1_000_001)
        #expect(anna.address == Address(street: "street-1", zip: 12_345))
        let pseudonym = try #require(anna.device)
        #expect(anna.note == "device \(pseudonym.uuidString), street-1")
        let visit = try #require(try state.get(Visit.self, 1))
        #expect(visit == Visit(id: 1, customer: "c-name-2", text: "name-2 and Bo, 1000001"))
        let events = try Array(copy.events())
        #expect(events[0].metadata.actor == "name-1")
        #expect(try events[0].intent?.value == .map(["name": .text("name-1")]))
        #expect(events[1].metadata.reason == "for name-2!")
        #expect(try events[1].intent?.output == .text("welcome name-2"))
        #expect(events[2].metadata.reason == "phone 1000001")
        #expect(events[2].metadata.tags["of"] == "name-1")
        for text in ["Anna", "Schmidt", "4915112345678", "Elm Street", device.uuidString] {
            let found = try events.contains { event in
                let words =
                    [
                        event.metadata.reason, event.metadata.actor, try event.intent?.output?.text,
                        try event.intent?.value.jsonText(),
                    ] + event.changes.map { "\($0)" }
                return words.contains { $0?.contains(text) == true }
            }
            #expect(!found, "\(text)")
        }
    }

    @Test func `finds values that appear later, before, and are gone`() throws {
        let archive = try log { store in
            try store.write(because: "Zacharias calls") { tx in
                try tx.insert(Visit(id: 1, customer: "Zacharias", text: "Quentin was here"))
            }
            for name in ["Quentin", "Zacharias"] {
                try store.write { try $0.upsert(Customer(id: "a", name: name)) }
            }
            try store.write { try $0.delete(Customer.self, "a") }
        }
        let part = SimulatedDisk()
        _ = try archive.writeFixture(
            onto: Environment(disk: part), through: 1, scrubbing: Scrubbing("Customer.name"))
        let copy = try Archive(on: part)
        // The customers are later than it ends.
        #expect(try copy.event(1)?.metadata.reason == "name-2 calls")
        #expect(copy.sequence == 1)
        let (_, whole) = try write(archive, Scrubbing(["Customer.name"]))
        #expect(try whole.event(1)?.metadata.reason == "name-2 calls")
        let visit = try #require(try whole.snapshot().get(Visit.self, 1))
        #expect(visit == Visit(id: 1, customer: "name-2", text: "name-1 was here"))
    }

    @Test func `follows lists, renamed fields and ids`() throws {
        struct Person: Entity {
            var id: String
            var fullName: String
            var homes: [Address] = []
            static let evolution: Evolution<Person> = [
                .version(2) { .rename("name", to: "fullName") }
            ]
        }
        let old = try Store(.untyped, Store.Options(), Environment(disk: disk))
        for (number, name) in ["Quentin", "Zacharias"].enumerated() {
            let home: FieldValue = .map(["street": .text("Lane \(name)"), "zip": .integer(1)])
            let record = try Record(
                entity: "Person", id: RecordID("p\(number)"),
                fields: ["id": .text("p\(number)"), "name": .text(name), "homes": .array([home])])
            try old.write { try $0.insert(record) }
        }
        try old.close()
        let store = try Store(on: disk, entities: Person.self)
        try store.write { try $0.update(Person.self, "p0") { $0.homes[0].zip = 2 } }
        let archive = try store.archive()
        _ = try archive.writeFixture(
            onto: Environment(disk: target),
            scrubbing: Scrubbing("Person.fullName", "Person.homes.street", "Person.id"))
        let copy = try Archive(on: target)
        for event in try Array(copy.events()) {
            let text = event.changes.map { "\($0)" }.joined()
            for name in ["Quentin", "Zacharias", "Lane", "p0", "p1"] {
                #expect(!text.contains(name), "\(text)")
            }
        }
        let again = try Store(on: target, entities: Person.self)
        let people = try again.all(Person.self, sortedBy: \.id)
        #expect(people.map(\.id) == ["id-1", "id-2"])
        #expect(people.map(\.fullName) == ["name-1", "name-2"])
        #expect(people.map { $0.homes.map(\.zip) } == [[2], [1]])
    }

    @Test func `gives different values different pseudonyms`() throws {
        let archive = try log { store in
            for (number, phone) in [1_234_567, 7, 8].enumerated() {
                try store.write { tx in
                    let address = Address(street: "", zip: 7_654_321 + number)
                    try tx.insert(
                        Customer(
                            id: "\(number)", name: "\(number)", phone: phone, address: address))
                }
            }
        }
        let (_, copy) = try write(archive, Scrubbing(["Customer.phone", "Customer.address.zip"]))
        let customers = try copy.snapshot().all(Customer.self)
        let numbers = customers.flatMap { [$0.phone ?? 0, $0.address.zip] }
        #expect(Set(numbers).count == 6)
        #expect(customers.allSatisfy { $0.address.street.isEmpty })
        let originals = [1_234_567, 7, 8, 7_654_321, 7_654_322, 7_654_323]
        #expect(Set(numbers).isDisjoint(with: originals))
    }

    @Test func `finds what it would still hold`() throws {
        var scrubber = EventScrubber(try Scrubbing("Customer.name"), NamedValues())
        for name in ["Anna", "actor"] {
            try scrubber.note(
                Record(entity: "Customer", id: RecordID(1), fields: ["name": .text(name)]))
        }
        scrubber.makePseudonyms()
        // Bytes are searched as texts are.
        func found(_ text: String, besides words: String...) -> [String?] {
            let words = words.map { Array($0.utf8) }
            return [
                scrubber.original(inText: text, except: words),
                scrubber.original(in: .bytes(Data(text.utf8)), except: words),
            ]
        }
        #expect(found("x Anna", besides: "actor") == ["Anna", "Anna"])
        #expect(found("x actor, Ann a", besides: "actor") == [nil, nil])
        #expect(found("x actor") == ["actor", "actor"])
        #expect(found("the actors, x", besides: "actors") == [nil, nil])
        // A name covers only what is a part of it.
        #expect(found("actor, the actors", besides: "actors") == ["actor", "actor"])
        #expect(found("name-2 and actor, name-2") == ["actor", "actor"])
    }

    @Test func `is written by the tool`() throws {
        let store = try ToolStore([Customer.self, Visit.self], customers)
        let path = store.path("new")
        let outcome = try store.run(
            "fixture", "--into", path, "--last", "2", "--scrub", "Customer.name,Customer.phone",
            "--scrub", "Customer.device", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try #require(FieldValue(json: outcome.output).map)
        #expect(object["sequence"] == .integer(3) && object["pseudonyms"] == .integer(4))
        #expect(object["firstOriginalEvent"] == .integer(3))
        #expect(try Archive(at: URL(filePath: path)).sequence == 3)
        for words in [
            [], ["--into", path], ["--into", store.path("b"), "--scrub", ""],
            ["--into", store.path("b"), "--scrub", "Customer.name,"],
            ["--into", store.path("b"), "--scrub", "Customer"],
            ["--into", store.path("b"), "--last", "x"],
        ] {
            let status = try store.process("fixture", words).outcome().status
            #expect(status == (words.last == path ? 1 : 2), "\(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: store.path("b")))
    }

    @Test func `refuses a field that no record has`() throws {
        let archive = try log(customers)
        for name in [
            "Customer.nmae", "Custmer.name", "Customer.Name", "Customer.address.strret",
            "Customer.name.first",
        ] {
            #expect(throws: StoreError(.invalidInput, "")) { try write(archive, Scrubbing([name])) }
        }
        #expect(throws: StoreError(.invalidInput, "")) { try Scrubbing([]) }
        for name in ["Customer", "Customer.", ".name", "Customer..name", ""] {
            #expect(throws: StoreError(.invalidInput, "")) { try Scrubbing(name) }
        }
        #expect(target.contents.isEmpty)
    }

    @Test func `leaves nothing where something is`() throws {
        let archive = try log(customers)
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "Fixture.skyros")
        try archive.writeFixture(into: url)
        #expect(throws: StoreError(.invalidInput, "")) { try archive.writeFixture(into: url) }
        #expect(try Archive(at: url).sequence == 4)
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try archive.writeFixture(into: directory.url.appending(path: "b"), through: 5)
        }
        #expect(try directory.contents().keys.allSatisfy { $0.hasPrefix("Fixture.skyros/") })
    }

    private struct Ticket: Entity {
        var id: UUID
        var title: String
    }

    private struct Open: Command {
        var title: String

        func run(_ tx: inout WriteTransaction) throws {
            try tx.insert(Ticket(id: tx.newID(), title: title))
        }
    }

    @Test func `has no id that a command has made, and no short name in another script`() throws {
        let store = try Store(on: disk, entities: Ticket.self)
        for title in ["\u{674E}\u{660E}", "time", "Bob"] {
            try store.perform(Open(title: title), by: "desk", because: "for \(title)!")
        }
        let ids = try store.all(Ticket.self).map(\.id)
        _ = try store.archive().writeFixture(
            onto: Environment(disk: target), scrubbing: Scrubbing("Ticket.title", "Ticket.id"))
        let events = try Array(Archive(on: target).events())
        #expect(events.count == 3)
        for event in events {
            #expect(event.intent?.ids.count == 1)
            #expect(event.intent?.ids.contains { ids.contains($0) } == false)
            let reason = event.metadata.reason ?? ""
            #expect(reason.hasPrefix("for title-"), "\(reason)")
        }
    }
}

@Suite struct `The pseudonyms of a fixture` {
    @Test func `have the kind of their value, and are the same for the same value`() throws {
        let url = FieldValue.tagged(32, .text("https://example.com/bob"))
        let decimal = FieldValue.tagged(4, .array([.integer(-2), .integer(1_250)]))
        let values: [FieldValue] = [
            .text("Bob"), .integer(7), .double(1.5), .bool(true), .uuid(UUID()),
            .date(Date(timeIntervalSinceReferenceDate: 5)), .bytes(Data([1, 2])), url, decimal,
        ]
        var originals = Originals()
        for value in values + values { originals.note(value, of: "field") }
        // The same text in another form of Unicode.
        originals.note(.text("Jose\u{301}"), of: "field")
        originals.note(.text("Jos\u{e9}"), of: "field")
        let pseudonyms = Pseudonyms(originals)
        #expect(pseudonyms.count == values.count + 1)
        for value in values {
            let other = try #require(pseudonyms.replaced(value))
            #expect(
                other != value
                    && Mirror(reflecting: other).children.first?.label
                        == Mirror(reflecting: value).children.first?.label
            )
            #expect(pseudonyms.replaced(.array([value, .null])) == .array([other, .null]))
        }
        #expect(pseudonyms.replaced("Jose\u{301} Jos\u{e9}") == "field-4 field-4")
        #expect(
            pseudonyms.replaced(.map(["Bob": .text("Bob")])) == .map(["field-1": .text("field-1")]))
        #expect(pseudonyms.replaced(.text("Eve")) == nil)
    }

    @Test func `replace the longest text at each place, and no others`() throws {
        var replacer = TextReplacer()
        for (text, other) in [("Ann", "1"), ("Anna", "2"), ("nab", "3"), ("äöü", "4")] {
            replacer.add(text, replacement: other)
        }
        let texts = [
            "Ann": "1", "Anna": "2", "Annab": "2b", "anna": "anna", "": "", "An": "An",
            "Ann Ann": "1 1", "xäöüy": "x4y", "nabnab": "33", "AnAnna": "An2", "na": "na",
        ]
        for (text, expected) in texts { #expect(replacer.replaced(text) == expected) }
        #expect(TextReplacer().replaced("Anna") == "Anna")
    }
}
