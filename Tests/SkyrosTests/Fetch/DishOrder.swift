import Foundation

@testable import Skyros

/// A sort key, and what it means in plain Swift.
struct DishOrder<I: DishIndexing> {
    let sort: Sort<Dish<I>>
    /// Whether the first dish stands before the second because of this key.
    let precedes: (Dish<I>, Dish<I>) -> Bool

    /// A random order of one field, in either direction.
    static func random(_ random: inout RandomSource) -> DishOrder {
        random.pick([
            DishOrder(sort: .ascending(\.price)) { $0.price < $1.price },
            DishOrder(sort: .descending(\.price)) { $0.price > $1.price },
            DishOrder(sort: .ascending(\.name)) { $0.name.precedes($1.name) },
            DishOrder(sort: .descending(\.name)) { $1.name.precedes($0.name) },
            DishOrder(sort: .ascending(\.rating)) { rank($0.rating) < rank($1.rating) },
            DishOrder(sort: .descending(\.rating)) { rank($0.rating) > rank($1.rating) },
            DishOrder(sort: .ascending(\.origin)) { rank($0.origin) < rank($1.origin) },
            DishOrder(sort: .descending(\.origin)) { rank($0.origin) > rank($1.origin) },
            DishOrder(sort: .ascending(\.since)) { $0.since < $1.since },
            DishOrder(sort: .descending(\.since)) { $0.since > $1.since },
        ])
    }

    /// Nil first.
    private static func rank(_ origin: String?) -> (Int, String) {
        origin.map { (1, $0) } ?? (0, "")
    }

    /// Nil first, NaN last.
    private static func rank(_ rating: Double?) -> (Int, Double) {
        guard let rating else { return (0, 0) }
        return rating.isNaN ? (2, 0) : (1, rating)
    }
}
