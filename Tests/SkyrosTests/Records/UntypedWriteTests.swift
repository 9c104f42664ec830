import Foundation
import Skyros
import TestSupport
import Testing

private struct Guest: Entity, Equatable {
    var id: Int
    var email: String
    var table: Ref<Table>?
    static let indexes: [Index<Guest>] = [.unique(\.email)]
    static let relations: [Relation<Guest>] = [.to(\.table, onDelete: .cascade)]
}

private struct Table: Entity, Equatable {
    var id: Int
}

extension Record {
    fileprivate static func guest(
        _ id: Int, email: String, table: Int? = nil, more: NamedValues<FieldValue> = [:]
    ) throws -> Record {
        var fields: NamedValues<FieldValue> = ["id": .integer(Int128(id)), "email": .text(email)]
        if let table { fields["table"] = .integer(Int128(table)) }
        return try Record(
            entity: "Guest", id: RecordID(id), fields: fields.merging(more) { $1 })
    }
}

@Suite struct `A record that is written without its type` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Guest.self, Table.self)
        try store.write { try $0.insert(Table(id: 1)) }
    }

    @Test func `is read as a value of the type`() throws {
        try store.write(by: "import") { try $0.insert(.guest(1, email: "a", table: 1)) }
        #expect(try store.get(Guest.self, 1) == Guest(id: 1, email: "a", table: Ref(1)))
        let entry = try #require(try store.history(of: Guest.self, 1).first)
        #expect(entry.actor == "import")
    }

    @Test func `is updated, replaced and deleted by name`() throws {
        try store.write { tx in
            try tx.insert(.guest(1, email: "a"))
            let count = try tx.update("Guest", RecordID(1)) { record -> Int in
                record["email"] = "b"
                return record.fieldNames.count
            }
            #expect(count == 2)
            #expect(try tx.record("Guest", RecordID(1))?["email"] == "b")
            try tx.upsert([.guest(1, email: "c"), .guest(2, email: "d"), .guest(3, email: "e")])
            try tx.update(.guest(2, email: "f", more: ["note": "kept"]))
            #expect(try tx.delete("Guest", RecordID(3)))
            #expect(try !tx.delete("Guest", RecordID(3)))
        }
        #expect(try store.all(Guest.self).map(\.email) == ["c", "f"])
        #expect(try store.record("Guest", RecordID(2))?["note"] == "kept")
        let count = try store.write { try $0.deleteAll("Guest") }
        #expect(count == 2)
        #expect(try store.count(Guest.self) == 0)
    }

    @Test func `is held to unique indexes`() throws {
        try store.write { try $0.insert(Guest(id: 1, email: "a")) }
        let error = failure(as: StoreError.self) {
            try store.write { try $0.insert([.guest(2, email: "b"), .guest(3, email: "a")]) }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.place.ids == [RecordID(3)])
        #expect(try store.count(Guest.self) == 1)
    }

    @Test func `is held to relations`() throws {
        let broken = code { try store.write { try $0.insert(.guest(1, email: "a", table: 9)) } }
        #expect(broken == .brokenReference)
        try store.write { try $0.insert(.guest(1, email: "a", table: 1)) }
        try store.write { tx in
            let table = try #require(try tx.record("Table", RecordID(1)))
            #expect(try tx.delete(table))
        }
        #expect(try store.count(Guest.self) == 0)
    }

    @Test func `is refused if its type does not read it`() throws {
        let misfit = try Record(entity: "Guest", id: RecordID(1), fields: ["id": 1, "email": 7])
        let other = try Record(entity: "Guest", id: RecordID(1), fields: ["id": 2, "email": "a"])
        for record in [misfit, other] {
            let error = failure(as: StoreError.self) {
                try store.write { try $0.upsert([.guest(5, email: "e"), record]) }
            }
            #expect(error?.code == .notDecodable)
            #expect(error?.message.hasSuffix("It was not written") == true)
            #expect(error?.place.ids == [RecordID(1)])
        }
        #expect(try store.count(Guest.self) == 0)
    }

    @Test func `is refused if it exists, does not exist, or gets another id`() throws {
        try store.write { try $0.insert(.guest(1, email: "a")) }
        let errors = [
            code { try store.write { try $0.insert(.guest(1, email: "b")) } },
            code {
                try store.write { try $0.insert([.guest(2, email: "b"), .guest(2, email: "c")]) }
            },
            code { try store.write { try $0.update(.guest(2, email: "b")) } },
            code { try store.write { try $0.update("Guest", RecordID(2)) { _ in } } },
            code {
                try store.write { tx in
                    try tx.update("Guest", RecordID(1)) { $0 = try .guest(2, email: "b") }
                }
            },
        ]
        #expect(errors == [.duplicateID, .duplicateID, .notFound, .notFound, .idChanged])
        #expect(try store.all(Guest.self) == [Guest(id: 1, email: "a")])
    }

    @Test func `is refused if the store knows no such entity`() throws {
        let record = try Record(entity: "Gest", id: RecordID(1), fields: ["id": 1])
        let errors = [
            code { try store.write { tx in try tx.insert(record) } },
            code { try store.write { tx in _ = try tx.delete(record) } },
            code { try store.write { tx in _ = try tx.deleteAll("Gest") } },
            code { try store.write { tx in _ = try tx.record("Gest", RecordID(1)) } },
        ]
        #expect(errors.allSatisfy { $0 == .unknownEntity })
        #expect(store.sequence == 1)
    }
}
