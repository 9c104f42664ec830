import Foundation

@testable import Skyros

/// Which indexes a `Dish` has.
protocol DishIndexing: Sendable {
    static func indexes<I: DishIndexing>(of type: Dish<I>.Type) -> [Index<Dish<I>>]
}

/// An entity with fields of all kinds that filters and sorts treat differently, and with as many
/// indexes as `Indexing` says.
struct Dish<Indexing: DishIndexing>: Entity {
    enum Course: String, Codable, CaseIterable {
        case starter, main, dessert
    }

    var id: Int
    var name: String
    var course: Course
    var price: Int
    var rating: Double?
    var origin: String?
    var isVegan: Bool
    var since: Date

    static var entityName: String { "Dish" }
    static var indexes: [Index<Dish>] { Indexing.indexes(of: Dish.self) }
}

/// No index.
enum Unindexed: DishIndexing {
    static func indexes<I: DishIndexing>(of type: Dish<I>.Type) -> [Index<Dish<I>>] { [] }
}

/// Indexes of one field, of every kind.
enum SingleIndexes: DishIndexing {
    static func indexes<I: DishIndexing>(of type: Dish<I>.Type) -> [Index<Dish<I>>] {
        [
            .on(\.name), .on(\.course), .on(\.price), .on(\.rating), .on(\.origin),
            .on(\.isVegan), .on(\.since),
        ]
    }
}

/// Indexes of several fields.
enum CompositeIndexes: DishIndexing {
    static func indexes<I: DishIndexing>(of type: Dish<I>.Type) -> [Index<Dish<I>>] {
        [
            .on(\.course, \.price), .on(\.origin, \.rating, \.price), .on(\.isVegan, \.name),
            .on(\.rating, \.since),
        ]
    }
}

/// Indexes of one field beside indexes of several.
enum MixedIndexes: DishIndexing {
    static func indexes<I: DishIndexing>(of type: Dish<I>.Type) -> [Index<Dish<I>>] {
        [.on(\.price), .on(\.course, \.rating), .on(\.name, \.price), .unique(\.id)]
    }
}

extension RandomSource {
    /// An element of a few.
    mutating func pick<T>(_ elements: [T]) -> T {
        elements[below(elements.count)]
    }

    // Few values, so that filters find something and sorts have ties.

    mutating func dishName() -> String {
        pick(["", "a", "ab", "b", "Z", "\0", "a\u{1}", "\u{E9}", "e\u{301}", "\u{E9}b", "日"])
    }

    mutating func dishPrice() -> Int {
        pick([0, 1, 2, 3, -1, 255, 256, 1 << 53, 1 << 53 + 1, .max, .min])
    }

    mutating func dishRating() -> Double? {
        pick([nil, nil, 0, -0.0, 1, 1.5, 3, -1, .infinity, -.infinity, .nan])
    }

    mutating func dishOrigin() -> String? {
        pick([nil, nil, "", "x", "y"])
    }

    mutating func dishSince() -> Date {
        Date(timeIntervalSinceReferenceDate: pick([0, 1, -1, 0.5, 1e9]))
    }

    mutating func dish<I: DishIndexing>(_ type: Dish<I>.Type, id: Int) -> Dish<I> {
        Dish(
            id: id, name: dishName(), course: pick(Dish<I>.Course.allCases), price: dishPrice(),
            rating: dishRating(), origin: dishOrigin(), isVegan: below(2) == 0,
            since: dishSince())
    }
}
