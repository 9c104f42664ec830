import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Two versions of a type, of which the newer one has more fields.
private struct NewPerson: Entity, Equatable {
    static let entityName = "Person"
    var id: Int
    var name: String
    var nick: String?
    var mail: String?
    var address: Address?
    struct Address: Codable, Equatable, Sendable {
        var city: String
        var zip: String?
    }
}

private struct OldPerson: Entity, Equatable {
    static let entityName = "Person"
    static let indexes: [Index<OldPerson>] = [.on(\.name), .unique(\.nick)]
    var id: Int
    var name: String
    var nick: String?
}

/// It knows the address, and not its zip code.
private struct MiddlePerson: Entity {
    static let entityName = "Person"
    var id: Int
    var name: String
    var address: Address?
    struct Address: Codable, Sendable { var city: String }
}

/// It writes fields that it does not read, one of them only with a nick.
private struct Derived: Entity {
    static let entityName = "Person"
    var id: Int
    var name: String
    var nick: String?

    private enum WrittenKeys: String, CodingKey { case id, name, nick, length, mail }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: WrittenKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(nick, forKey: .nick)
        try container.encode(name.count, forKey: .length)
        if let nick { try container.encode("\(nick)@derived", forKey: .mail) }
    }
}

private class Base: Codable {
    var id: Int
    init(id: Int) { self.id = id }
}

/// Reads its record with two containers. Unchecked because its superclass is not sendable; no
/// instance is shared.
private final class Derivative: Base, Entity, @unchecked Sendable {
    static let entityName = "Person"
    var name: String

    private enum CodingKeys: String, CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }
}

/// Asks for all keys, as every enumeration does.
private enum Choice: Entity {
    case first(id: Int)
    case second(id: Int)
    var id: Int {
        switch self {
        case .first(let id), .second(let id): id
        }
    }
}

/// Fields of stored records that the type does not ask for and does not write.
@Suite struct `Fields that a type does not know` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: NewPerson.self)
        try store.write { tx in
            try tx.insert(
                (1...6).map { id in
                    NewPerson(
                        id: id, name: "N\(id)", nick: "n\(id)", mail: "m\(id)",
                        address: .init(city: "C", zip: "Z"))
                })
        }
        try store.close()
    }

    private func person(_ id: Int, in store: Store) throws -> NewPerson? {
        try store.snapshot.record("Person", RecordID(id))?.decode(as: NewPerson.self)
    }

    private func expect(
        _ id: Int, _ name: String, nick: String?, in store: Store,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = NewPerson(
            id: id, name: name, nick: nick, mail: "m\(id)", address: .init(city: "C", zip: "Z"))
        #expect(try person(id, in: store) == expected, sourceLocation: location)
    }

    @Test func `stay in each kind of change, and known ones are removed with nil (F68)`() throws {
        let store = try Store(at: directory.store, entities: OldPerson.self)
        try store.write { tx in
            try tx.update(OldPerson.self, 1) { $0.nick = nil }
            try tx.update(OldPerson(id: 2, name: "A", nick: nil))
            try tx.upsert(OldPerson(id: 3, name: "B", nick: "b"))
            try tx.upsert([OldPerson(id: 4, name: "C", nick: nil)])
        }
        try store.write { tx in
            for name in ["D", "E"] { try tx.update(OldPerson.self, 5) { $0.name = name } }
            try tx.upsert(OldPerson(id: 5, name: "F", nick: nil))
        }
        try expect(1, "N1", nick: nil, in: store)
        try expect(2, "A", nick: nil, in: store)
        try expect(3, "B", nick: "b", in: store)
        try expect(4, "C", nick: nil, in: store)
        try expect(5, "F", nick: nil, in: store)
        let changes = try #require(try store.history(of: OldPerson.self, 2).last?.changes)
        #expect(changes.map(\.field) == ["name", "nick"] && changes.last?.after == nil)
        #expect(try store.all(OldPerson.self, where: \.name == "F").map(\.id) == [5])
        try store.close()
        let newer = try Store(at: directory.store, entities: NewPerson.self)
        #expect(try newer.get(NewPerson.self, 5)?.mail == "m5")
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `stay also where the row was read before, or was changed in the block (F68)`() throws
    {
        let store = try Store(at: directory.store, entities: OldPerson.self)
        #expect(try store.all(OldPerson.self).count == 6)
        try store.write { try $0.update(OldPerson.self, 1) { $0.name = "A" } }
        try store.write { try $0.upsert(OldPerson(id: 1, name: "B", nick: nil)) }
        try expect(1, "B", nick: nil, in: store)
        try store.write { tx in
            try tx.update(OldPerson.self, 2) { $0.name = "A" }
            let record = try tx.snapshot.record("Person", RecordID(2))
            #expect(record?["mail"] == "m2")
        }
        try expect(2, "A", nick: "n2", in: store)
    }

    @Test func `go with a record that is deleted, also if it is inserted again (F68)`() throws {
        let store = try Store(at: directory.store, entities: OldPerson.self)
        try store.write { tx in
            try tx.delete(OldPerson.self, 1)
            try tx.insert(OldPerson(id: 1, name: "A", nick: nil))
            try tx.delete(OldPerson.self, 2)
            try tx.upsert(OldPerson(id: 2, name: "B", nick: nil))
        }
        try store.write { tx in
            try tx.deleteAll(OldPerson.self)
            try tx.upsert(OldPerson(id: 3, name: "C", nick: nil))
        }
        try store.write { try $0.insert(OldPerson(id: 4, name: "D", nick: nil)) }
        #expect(try person(3, in: store) == NewPerson(id: 3, name: "C"))
        #expect(try person(4, in: store) == NewPerson(id: 4, name: "D"))
        let past = try store.snapshot(asOf: .sequence(2))
        for (id, name) in [(1, "A"), (2, "B")] {
            let record = try past.record("Person", RecordID(id))
            #expect(record?.fieldNames == ["id", "name"] && record?["name"] == .text(name))
        }
    }

    @Test func `are those of the record, not those within its fields (F68)`() throws {
        let store = try Store(at: directory.store, entities: MiddlePerson.self)
        try store.write { try $0.update(MiddlePerson.self, 1) { $0.name = "A" } }
        try store.write { try $0.update(MiddlePerson.self, 2) { $0.address = nil } }
        #expect(try person(1, in: store)?.address == .init(city: "C", zip: nil))
        #expect(try person(1, in: store)?.mail == "m1")
        #expect(try person(2, in: store)?.address == nil)
    }

    @Test func `are not those that the type writes without reading them (F68)`() throws {
        let store = try Store(at: directory.store, entities: Derived.self)
        func record(_ id: Int) throws -> Record? {
            try store.snapshot.record("Person", RecordID(id))
        }
        try store.write { try $0.update(Derived.self, 1) { $0.name = "long name" } }
        #expect(try record(1)?["length"] == 9)
        #expect(try record(1)?["mail"] == "n1@derived")
        // Of the value that is read, the type would write the field.
        try store.write { try $0.update(Derived.self, 1) { $0.nick = nil } }
        #expect(try record(1)?.fieldNames == ["id", "name", "length", "address"])
        try store.write { try $0.update(Derived.self, 1) { $0.name = "B" } }
        #expect(try record(1)?["length"] == 1)
    }

    @Test func `stay for a class with a superclass that has its own container (F68)`() throws {
        let store = try Store(at: directory.store, entities: Derivative.self)
        try store.write { try $0.update(Derivative.self, 1) { $0.name = "A" } }
        try expect(1, "A", nick: "n1", in: store)
    }

    @Test func `stay when a record that does not fit is replaced (F68)`() throws {
        let store = try Store(at: directory.store, entities: NewPerson.self)
        try store.close()
        var options = Store.Options()
        options.onSchemaChange = .ignore
        let other = try Store(at: directory.store, entities: Misfit.self, options: options)
        #expect(try other.unreadableRecords().count == 6)
        try other.write { try $0.upsert(Misfit(id: 1, name: 7, nick: nil)) }
        let record = try #require(try other.snapshot.record("Person", RecordID(1)))
        #expect(record.fieldNames == ["id", "mail", "name", "address"] && record["name"] == 7)
        #expect(try other.unreadableRecords().count == 5)
    }

    /// Today's type reads the name as a number, and what comes after it not at all.
    private struct Misfit: Entity {
        static let entityName = "Person"
        var id: Int
        var name: Int
        var nick: String?
    }

    @Test func `are none where the type asks for all keys (F68)`() throws {
        let store = try Store(inMemory: Choice.self)
        try store.write { try $0.insert(Choice.first(id: 1)) }
        try store.write { try $0.upsert(Choice.second(id: 1)) }
        #expect(try store.snapshot.record("Choice", RecordID(1))?.fieldNames == ["second"])
        try store.write { try $0.update(Choice.self, 1) { $0 = .first(id: 1) } }
        #expect(try store.snapshot.record("Choice", RecordID(1))?.fieldNames == ["first"])
    }

    @Test func `stay in records of very many fields (F68)`() throws {
        let url = directory.url.appending(path: "Wide.skyros")
        let wide = try Store(at: url, entities: Wide.self)
        let fields = (0..<200).map { ("f\($0 + 100)", $0) }
        try wide.write { tx in
            try tx.insert(Wide(id: 1, fields: Dictionary(uniqueKeysWithValues: fields)))
        }
        try wide.close()
        let narrow = try Store(at: url, entities: Narrow.self)
        try narrow.write { try $0.update(Narrow.self, 1) { ($0.f170, $0.f290) = (nil, 5) } }
        let record = try #require(try narrow.snapshot.record("Wide", RecordID(1)))
        #expect(record.fieldNames.count == 200 && record["f290"] == 5 && record["f299"] == 199)
        #expect(record["f170"] == nil && record["f171"] == 71)
        #expect(try narrow.history(of: Narrow.self, 1).last?.changes.count == 2)
    }

    private struct Narrow: Entity {
        static let entityName = "Wide"
        var id: Int
        var f170: Int?
        var f290: Int?
    }

    private struct Wide: Entity {
        var id: Int
        var fields: [String: Int]

        init(id: Int, fields: [String: Int]) {
            (self.id, self.fields) = (id, fields)
        }

        init(from decoder: any Decoder) throws {
            fields = try decoder.singleValueContainer().decode([String: Int].self)
            id = fields.removeValue(forKey: "id") ?? 0
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(fields.merging(["id": id]) { _, id in id })
        }
    }
}
