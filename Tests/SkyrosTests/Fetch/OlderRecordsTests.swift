import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Records of an older type, which today's type reads as something else than they hold.
@Suite struct `Records of an older type` {
    private struct Older: Entity {
        static let entityName = "Hotel"
        var id: Int
        var name: String
        var grade: Int
        var chain: String?
    }

    private struct Hotel: Entity {
        static let indexes: [Index<Hotel>] = [
            .on(\.stars), .on(\.name, \.stars), .on(\.grade), .on(\.chain),
        ]
        var id: Int
        var name: String
        var stars: Int
        var grade: String
        var chain: String?

        init(id: Int, name: String, stars: Int, grade: String) {
            (self.id, self.name, self.stars, self.grade) = (id, name, stars, grade)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            stars = try container.decodeIfPresent(Int.self, forKey: .stars) ?? 3
            let number = try? container.decode(Int.self, forKey: .grade)
            grade = try number.map { "\($0)" } ?? container.decode(String.self, forKey: .grade)
            chain = try container.decodeIfPresent(String.self, forKey: .chain)
        }
    }

    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        try Store(at: directory.store, entities: Older.self).writeSync { tx in
            try tx.insert((0..<3).map { Older(id: $0, name: "A", grade: $0, chain: nil) })
        }.close()
        store = try Store(at: directory.store, entities: Hotel.self)
        try store.write { tx in
            try tx.insert((3..<6).map { Hotel(id: $0, name: "A", stars: $0 - 1, grade: "\($0)") })
        }
    }

    private func ids(_ filter: Filter<Hotel>, _ sort: [Sort<Hotel>] = []) throws -> [Int] {
        let request = FetchRequest(where: filter, sortedBy: sort)
        #expect(try store.count(request) == store.fetch(request).count)
        return try store.fetch(request).map(\.id)
    }

    private func isFaithful(_ index: Int) -> Bool? {
        store.snapshot.table("Hotel")?.indexes[index].isFaithful
    }

    @Test func `are found by a default that the new type gives them`() throws {
        #expect(try ids(\.stars == 3) == [0, 1, 2, 4])
        #expect(try ids(\.stars > 2 && \.name == "A") == [0, 1, 2, 4, 5])
        #expect(try ids(\.name == "A", [.descending(\.stars)]) == [5, 0, 1, 2, 4, 3])
    }

    @Test func `are found by values of another kind`() throws {
        #expect(try ids(\.grade == "1") == [1])
        #expect(try ids(\.grade < "4", [.descending(\.grade)]) == [3, 2, 1, 0])
    }

    @Test func `are found through the index once they were written again`() throws {
        #expect((0..<4).map { isFaithful($0) } == [false, false, false, true])
        try store.write { tx in
            try tx.update(Hotel.self, 0) { $0.name = "B" }
            try tx.delete(Hotel.self, 1)
        }
        #expect(isFaithful(0) == false)
        #expect(try ids(\.stars == 3) == [0, 2, 4])
        try store.write { tx in
            for hotel in try tx.all(Hotel.self) { try tx.upsert(hotel) }
        }
        #expect((0..<4).map { isFaithful($0) } == [true, true, true, true])
        #expect(try ids(\.stars == 3) == [0, 2, 4])
    }

    @Test func `leave other indexes as they are`() throws {
        #expect(try ids(\.chain == nil) == [0, 1, 2, 3, 4, 5])
        #expect(isFaithful(3) == true)
        let deleted = try store.write { try $0.deleteAll(Hotel.self) }
        #expect(deleted == 6)
        #expect((0..<4).map { isFaithful($0) } == [true, true, true, true])
    }
}

@Suite struct `Records that leave out what decoding gives them again` {
    private struct Room: Entity, Equatable {
        enum CodingKeys: CodingKey { case id, beds, extras }

        /// Is null in records, and is not compared by an index.
        struct Extras: Codable, Equatable, Sendable {
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            }
        }

        static let indexes: [Index<Room>] = [
            .on(\.beds), .on(\.id, \.extras, fields: ["id", "e"]),
        ]
        var id: Int
        var beds: Int
        var extras = Extras()

        init(id: Int, beds: Int) {
            (self.id, self.beds) = (id, beds)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            beds = try container.decodeIfPresent(Int.self, forKey: .beds) ?? 2
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            if beds != 2 { try container.encode(beds, forKey: .beds) }
        }
    }

    @Test func `are found, though the index holds nothing of them`() throws {
        let store = try Store(inMemory: Room.self)
        try store.write { try $0.insert((0..<6).map { Room(id: $0, beds: $0 % 3 + 1) }) }
        #expect(try store.all(Room.self, where: \.beds == 2).map(\.id) == [1, 4])
        #expect(try store.all(Room.self, where: \.beds >= 2).map(\.id) == [1, 2, 4, 5])
        #expect(try store.count(Room.self, where: \.beds == 2) == 2)
        #expect(store.snapshot.table("Room")?.indexes.map(\.isFaithful) == [false, true])
        try store.write { tx in
            for id in [1, 4] { try tx.update(Room.self, id) { $0.beds = 5 } }
        }
        #expect(store.snapshot.table("Room")?.indexes.map(\.isFaithful) == [true, true])
        #expect(try store.all(Room.self, where: \.beds == 5).map(\.id) == [1, 4])
    }
}
