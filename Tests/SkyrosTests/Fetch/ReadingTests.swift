import Foundation
import Testing

@testable import Skyros

@Suite struct `Reading through an index` {
    @Test func `finds what a write block has changed, and only that`() throws {
        let store = try Store(inMemory: Restaurant.self)
        let (a, b) = (
            Restaurant(name: "A", cuisine: "italian"), Restaurant(name: "B", cuisine: "greek")
        )
        try store.write { try $0.insert([a, b]) }
        try store.write { tx in
            try tx.update(Restaurant.self, a.id) { $0.cuisine = "greek" }
            #expect(try tx.count(Restaurant.self, where: \.cuisine == "greek") == 2)
            #expect(try tx.count(Restaurant.self, where: \.cuisine == "italian") == 0)
            #expect(try store.count(Restaurant.self, where: \.cuisine == "greek") == 1)
            try tx.delete(b)
            #expect(try tx.all(Restaurant.self, where: \.cuisine == "greek").map(\.id) == [a.id])
            let moved = try tx.delete(Restaurant.self, where: \.cuisine == "greek")
            #expect(moved == 1)
            #expect(try tx.first(Restaurant.self, where: \.cuisine == "greek") == nil)
        }
        #expect(try store.count(Restaurant.self) == 0)
    }

    @Test(arguments: ["e\u{301}", "\u{E9}", "\u{212B}", "A\u{30A}", "\u{1100}\u{1161}", "가"])
    func `finds texts that Swift finds equal`(name: String) throws {
        let store = try Store(inMemory: Dish<SingleIndexes>.self)
        var random = RandomSource(seed: 5)
        let forms = ["e\u{301}", "\u{E9}", "\u{C5}", "A\u{30A}", "\u{AC00}", "\u{1100}\u{1161}"]
        try store.write { tx in
            for (id, form) in forms.enumerated() {
                var dish = random.dish(Dish<SingleIndexes>.self, id: id)
                dish.name = form
                try tx.insert(dish)
            }
        }
        let found = try store.all(Dish<SingleIndexes>.self, where: \.name == name).map(\.id)
        #expect(found.count == 2)
        #expect(found == forms.indices.filter { forms[$0] == name })
        let predicate = #Predicate<Dish<SingleIndexes>> { $0.name == name }
        #expect(try store.fetch(FetchRequest(predicate: predicate)).map(\.id) == found)
    }

    @Test func `finds numbers that were stored as another type of number`() throws {
        struct Whole: Entity {
            static let entityName = "Amount"
            var id: Int
            var value: Int
        }
        struct Fraction: Entity {
            static let entityName = "Amount"
            static let indexes: [Index<Fraction>] = [.on(\.value)]
            var id: Int
            var value: Double
        }
        let folder = try TemporaryFolder()
        try Store(at: folder.store, entities: Whole.self).writeSync { tx in
            try tx.insert([3, -3, 0, 1 << 53].enumerated().map { Whole(id: $0, value: $1) })
        }.close()
        let store = try Store(at: folder.store, entities: Fraction.self)
        try store.write { tx in
            try tx.insert(Fraction(id: 10, value: -0.0))
            try tx.insert(Fraction(id: 11, value: 2.5))
        }
        func ids(_ filter: Filter<Fraction>) throws -> [Int] {
            try store.all(Fraction.self, where: filter, sortedBy: \.value).map(\.id)
        }
        #expect(try ids(\.value == 3) == [0])
        #expect(try ids(\.value == 0) == [2, 10])
        #expect(try ids(\.value < 2.75) == [1, 2, 10, 11])
        #expect(try ids(\.value >= 0x1p53) == [3])
    }

    @Test func `looks at the values of types whose order is their own`() throws {
        let store = try Store(inMemory: Ticket.self)
        try store.write { tx in
            try tx.insert((0..<6).map { Ticket(id: $0, level: .init(rawValue: $0), tag: "A\($0)") })
        }
        // Greater levels are less urgent.
        let urgent = \Ticket.level > Ticket.Level(rawValue: 2)
        #expect(PlanText.of(urgent) == .allRows)
        #expect(try store.all(Ticket.self, where: urgent).map(\.id) == [0, 1])
        #expect(PlanText.of(nil, [.ascending(\Ticket.level)]) == .unsortedRows)
        let sorted = try store.all(Ticket.self, sortedBy: \.level)
        #expect(sorted.map(\.id) == [5, 4, 3, 2, 1, 0])
        let level = \Ticket.level == Ticket.Level(rawValue: 2)
        #expect(PlanText.of(level).index == 0)
        #expect(try store.all(Ticket.self, where: level).map(\.id) == [2])
        let tag = \Ticket.tag == Ticket.Tag(text: "a3")
        #expect(PlanText.of(tag) == .allRows)
        #expect(try store.all(Ticket.self, where: tag).map(\.id) == [3])
        let other = Ticket.Tag(text: "a3")
        let predicate = #Predicate<Ticket> { $0.tag == other }
        #expect(PlanText.of(predicate) == .allRows)
    }

    @Test func `is left to the type that the store was opened with`() throws {
        struct Other: Entity {
            static let entityName = "Restaurant"
            static let indexes: [Index<Other>] = [.on(\.name), .on(\.cuisine)]
            var id: UUID
            var name: String
            var cuisine: String
        }
        let store = try Store(inMemory: Restaurant.self)
        try store.write { try $0.insert(Restaurant(name: "Nonna", cuisine: "italian")) }
        #expect(try store.count(Other.self, where: \.name == "Nonna") == 1)
        #expect(try store.count(Other.self, where: \.cuisine == "italian") == 1)
    }

    @Test func `keeps a NaN apart from every number`() throws {
        let store = try Store(inMemory: Dish<SingleIndexes>.self)
        var random = RandomSource(seed: 5)
        try store.write { tx in
            for (id, rating) in [Double.nan, nil, .infinity, 1].enumerated() {
                var dish = random.dish(Dish<SingleIndexes>.self, id: id)
                dish.rating = rating
                try tx.insert(dish)
            }
        }
        func ids(_ filter: Filter<Dish<SingleIndexes>>) throws -> [Int] {
            try store.all(Dish<SingleIndexes>.self, where: filter).map(\.id)
        }
        #expect(try ids(\.rating == .nan) == [])
        #expect(try ids(\.rating != .nan) == [0, 1, 2, 3])
        #expect(try ids(\.rating >= .nan) == [])
        #expect(try ids(\.rating < .nan) == [])
        #expect(try ids(\.rating > 0) == [2, 3])
        #expect(try ids(\.rating <= .infinity) == [2, 3])
        let sorted = try store.all(Dish<SingleIndexes>.self, sortedBy: [.ascending(\.rating)])
        #expect(sorted.map(\.id) == [1, 3, 2, 0])
    }
}

/// An entity whose fields have an order and an equality of their own.
private struct Ticket: Entity {
    /// The smaller the number, the greater the level.
    struct Level: RawRepresentable, Codable, Comparable {
        var rawValue: Int

        static func < (a: Level, b: Level) -> Bool { a.rawValue > b.rawValue }
    }

    /// A text in which case means nothing.
    struct Tag: Codable, Equatable {
        var text: String

        static func == (a: Tag, b: Tag) -> Bool { a.text.lowercased() == b.text.lowercased() }
    }

    var id: Int
    var level: Level
    var tag: Tag

    init(id: Int, level: Level, tag: String) {
        self.id = id
        self.level = level
        self.tag = Tag(text: tag)
    }

    static let indexes: [Index<Ticket>] = [.on(\.level), .on(\.tag)]
}
