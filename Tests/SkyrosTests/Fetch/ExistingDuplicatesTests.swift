import Foundation
import Skyros
import TestSupport
import Testing

/// Entities of one name, in the shapes that it had over time.
private enum Seats {
    /// The first shape, without uniqueness.
    struct Free: Entity {
        static let entityName = "Seat"
        var id: Int
        var guest: String?
        var row = 0
    }

    struct Unique: Entity {
        static let entityName = "Seat"
        static let indexes: [Index<Unique>] = [.unique(\.guest)]
        var id: Int
        var guest: String?
        var row = 0
    }

    /// A later shape: the row is a text, and each seat has a code.
    struct Coded: Entity {
        static let entityName = "Seat"
        static let indexes: [Index<Coded>] = [.unique(\.code), .unique(\.row, \.guest)]
        var id: Int
        var guest: String?
        var row: String
        var code: String

        init(id: Int, guest: String?, row: String, code: String) {
            (self.id, self.guest, self.row, self.code) = (id, guest, row, code)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            guest = try container.decodeIfPresent(String.self, forKey: .guest)
            let number = try? container.decode(Int.self, forKey: .row)
            row = try number.map { "\($0)" } ?? container.decode(String.self, forKey: .row)
            code = try container.decodeIfPresent(String.self, forKey: .code) ?? "code \(id % 4)"
        }
    }
}

@Suite struct `A unique index over records that existed before` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(_ seats: [Seats.Free]) throws {
        let store = try Store(at: directory.store, entities: Seats.Free.self)
        try store.write { try $0.insert(seats) }
        try store.close()
    }

    private func open<E: Entity>(_ type: E.Type, reporting: Bool = false) throws -> Store {
        var options = Store.Options()
        if reporting { options.existingDuplicates = .report }
        return try Store(at: directory.store, entities: type, options: options)
    }

    private func expectViolation(_ body: () throws -> Void) {
        #expect(throws: StoreError(.uniqueViolation, ""), performing: body)
    }

    @Test func `is refused if some of them have the same value, with their ids (F67)`() throws {
        try write((0..<6).map { Seats.Free(id: $0, guest: ["a", "b", "c"][$0 % 3]) })
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) { try open(Seats.Unique.self) }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.place.ids == [RecordID(0), RecordID(3)])
        for part in ["3 values", "\"a\" in Seat 0, 3", "\"c\" in Seat 2, 5", "existingDuplicates"] {
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
        #expect(try directory.contents() == before)
    }

    @Test func `does not count those whose value is nil`() throws {
        try write((0..<500).map { Seats.Free(id: $0, guest: $0 == 3 ? "a" : nil) })
        let store = try open(Seats.Unique.self)
        #expect(store.recovery.duplicates.isEmpty)
        try store.close()
    }

    @Test func `reports them if the app wants that, and lets no more of them in (F67)`() throws {
        try write((0..<300).map { Seats.Free(id: $0, guest: $0 < 5 ? "same" : "g\($0)") })
        let store = try open(Seats.Unique.self, reporting: true)
        let found = store.recovery.duplicates
        #expect(found.map(\.ids) == [(0..<5).map { RecordID($0) }])
        #expect(found.first?.values == ["same"])
        #expect(found.first?.fields == ["guest"])
        expectViolation {
            try store.write { try $0.insert(Seats.Unique(id: 1_000, guest: "same")) }
        }
        expectViolation {
            try store.write { tx in
                // The first one goes, and others are still there.
                try tx.delete(Seats.Unique.self, 0)
                try tx.insert(Seats.Unique(id: 1_000, guest: "same"))
            }
        }
        // They may change otherwise, and lose the value.
        try store.write { tx in
            try tx.update(Seats.Unique.self, 1) { $0.row = 7 }
            try tx.update(Seats.Unique.self, 2) { $0.guest = nil }
        }
        expectViolation {
            try store.write { try $0.update(Seats.Unique.self, 2) { $0.guest = "same" } }
        }
        try store.write { tx in
            for id in [0, 1, 3, 4] { try tx.delete(Seats.Unique.self, id) }
            try tx.insert(Seats.Unique(id: 1_000, guest: "same"))
        }
        try store.close()
        try open(Seats.Unique.self).close()
    }

    @Test func `lets one block change several of them otherwise (F67)`() throws {
        try write((0..<4).map { Seats.Free(id: $0, guest: $0 < 3 ? "same" : "other") })
        let store = try open(Seats.Unique.self, reporting: true)
        try store.write { tx in
            for id in 0..<3 { try tx.update(Seats.Unique.self, id) { $0.row = 7 } }
        }
        #expect(try store.all(Seats.Unique.self).map(\.row) == [7, 7, 7, 0])
        let error = failure(as: StoreError.self) {
            try store.write { tx in
                for id in 0..<4 {
                    try tx.update(Seats.Unique.self, id) { ($0.guest, $0.row) = ("same", 8) }
                }
            }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.place.ids == [RecordID(0), RecordID(3)])
        try store.close()
    }

    @Test func `counts older records by the values that are read from them (F67)`() throws {
        try write((0..<4).map { Seats.Free(id: $0, guest: "g", row: $0) })
        let store = try open(Seats.Coded.self)
        func refuses(_ id: Int, _ row: String, _ code: String) {
            expectViolation {
                try store.write { tx in
                    try tx.insert(Seats.Coded(id: id, guest: "g", row: row, code: code))
                }
            }
        }
        // The fourth record lacks a code, and is read with "code 3"; its row is a number.
        refuses(10, "10", "code 3")
        refuses(10, "3", "code 10")
        try store.write { tx in
            try tx.insert(Seats.Coded(id: 10, guest: "g", row: "10", code: "code 10"))
            try tx.update(Seats.Coded.self, 3) { $0.guest = "other" }
            try tx.delete(Seats.Coded.self, 2)
            try tx.insert(Seats.Coded(id: 11, guest: "g", row: "3", code: "code 2"))
        }
        refuses(12, "12", "code 3")
        refuses(12, "1", "code 12")
        expectViolation {
            try store.write { try $0.update(Seats.Coded.self, 11) { $0.code = "code 1" } }
        }
        try store.write { try $0.update(Seats.Coded.self, 1) { $0.code = "code 12" } }
        try store.write { try $0.update(Seats.Coded.self, 11) { $0.code = "code 1" } }
        try store.close()
    }

    @Test func `names older records that are read with the same value`() throws {
        try write((0..<6).map { Seats.Free(id: $0, guest: "g", row: $0) })
        let error = #expect(throws: StoreError.self) { try open(Seats.Coded.self) }
        #expect(error?.code == .uniqueViolation)
        let store = try open(Seats.Coded.self, reporting: true)
        let found = store.recovery.duplicates.map(\.ids)
        #expect(found == [[RecordID(0), RecordID(4)], [RecordID(1), RecordID(5)]])
        try store.write { tx in
            try tx.insert(Seats.Coded(id: 20, guest: "g", row: "20", code: "code 20"))
            try tx.update(Seats.Coded.self, 4) { $0.code = "code 4" }
        }
        expectViolation {
            try store.write { try $0.update(Seats.Coded.self, 4) { $0.code = "code 0" } }
        }
        try store.close()
    }
}

@Suite struct `A default of an optional property` {
    private struct Older: Entity {
        static let entityName = "Room"
        var id: Int
    }

    private struct Room: Entity {
        static let indexes: [Index<Room>] = [.unique(\.name), .on(\.kind)]
        var id: Int
        var name: String?
        var kind: String?

        init(id: Int, name: String?) {
            (self.id, self.name) = (id, name)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decodeIfPresent(String.self, forKey: .name) ?? "room \(id)"
            kind = try container.decodeIfPresent(String.self, forKey: .kind) ?? "any"
        }

        enum CodingKeys: CodingKey { case id, name, kind }
    }

    @Test func `is what queries and uniqueness of older records go by (F67)`() throws {
        let directory = try TemporaryDirectory()
        let first = try Store(at: directory.store, entities: Older.self)
        try first.write { try $0.insert((0..<10).map { Older(id: $0) }) }
        try first.close()
        let store = try Store(at: directory.store, entities: Room.self)
        #expect(try store.all(Room.self, where: \.name == "room 3").map(\.id) == [3])
        #expect(try store.count(Room.self, where: \.kind == "any") == 10)
        #expect(try store.count(Room.self, where: \.kind == nil) == 0)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try store.write { try $0.insert(Room(id: 11, name: "room 3")) }
        }
        try store.write { try $0.insert(Room(id: 11, name: "room 11")) }
        try store.close()
    }
}
