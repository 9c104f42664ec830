import Foundation

@testable import Skyros

/// A filter, and what it means in plain Swift.
struct DishCondition<I: DishIndexing> {
    let filter: Filter<Dish<I>>
    let holds: (Dish<I>) -> Bool

    /// A random condition; `depth` levels of `&&`, `||` and `!`.
    static func random(_ random: inout RandomSource, depth: Int) -> DishCondition {
        guard depth > 0 else { return leaf(&random) }
        let a = Self.random(&random, depth: depth - 1)
        switch random.below(6) {
        case 0:
            let b = Self.random(&random, depth: depth - 1)
            return DishCondition(filter: a.filter || b.filter) { a.holds($0) || b.holds($0) }
        case 1:
            return DishCondition(filter: !a.filter) { !a.holds($0) }
        case 2:
            return a
        default:
            let b = Self.random(&random, depth: depth - 1)
            return DishCondition(filter: a.filter && b.filter) { a.holds($0) && b.holds($0) }
        }
    }

    private static func leaf(_ random: inout RandomSource) -> DishCondition {
        switch random.below(10) {
        case 0, 1: prices(&random)
        case 2: names(&random)
        case 3, 4: ratings(&random)
        case 5: origins(&random)
        case 6: dates(&random)
        case 7: equalities(&random)
        default: predicates(&random)
        }
    }

    private static func prices(_ random: inout RandomSource) -> DishCondition {
        let price = random.dishPrice()
        return random.pick([
            DishCondition(filter: \.price == price) { $0.price == price },
            DishCondition(filter: \.price != price) { $0.price != price },
            DishCondition(filter: \.price < price) { $0.price < price },
            DishCondition(filter: \.price <= price) { $0.price <= price },
            DishCondition(filter: \.price > price) { $0.price > price },
            DishCondition(filter: \.price >= price) { $0.price >= price },
        ])
    }

    private static func names(_ random: inout RandomSource) -> DishCondition {
        let name = random.dishName()
        return random.pick([
            DishCondition(filter: \.name == name) { $0.name == name },
            DishCondition(filter: \.name < name) { $0.name.precedes(name) },
            DishCondition(filter: \.name <= name) { !name.precedes($0.name) },
            DishCondition(filter: \.name > name) { name.precedes($0.name) },
            DishCondition(filter: \.name >= name) { !$0.name.precedes(name) },
        ])
    }

    private static func ratings(_ random: inout RandomSource) -> DishCondition {
        let rating = random.dishRating()
        let bound = rating ?? 2
        return random.pick([
            DishCondition(filter: \.rating == rating) { $0.rating == rating },
            DishCondition(filter: \.rating == nil) { $0.rating == nil },
            DishCondition(filter: \.rating != rating) { $0.rating != rating },
            DishCondition(filter: \.rating < bound) { $0.rating.map { $0 < bound } ?? false },
            DishCondition(filter: \.rating <= bound) { $0.rating.map { $0 <= bound } ?? false },
            DishCondition(filter: \.rating > bound) { $0.rating.map { $0 > bound } ?? false },
            DishCondition(filter: \.rating >= bound) { $0.rating.map { $0 >= bound } ?? false },
        ])
    }

    private static func origins(_ random: inout RandomSource) -> DishCondition {
        let origin = random.dishOrigin()
        let bound = origin ?? "x"
        return random.pick([
            DishCondition(filter: \.origin == origin) { $0.origin == origin },
            DishCondition(filter: \.origin < bound) { $0.origin.map { $0 < bound } ?? false },
            DishCondition(filter: \.origin >= bound) { $0.origin.map { $0 >= bound } ?? false },
        ])
    }

    private static func dates(_ random: inout RandomSource) -> DishCondition {
        let since = random.dishSince()
        return random.pick([
            DishCondition(filter: \.since == since) { $0.since == since },
            DishCondition(filter: \.since < since) { $0.since < since },
            DishCondition(filter: \.since >= since) { $0.since >= since },
        ])
    }

    private static func equalities(_ random: inout RandomSource) -> DishCondition {
        let course = random.pick(Dish<I>.Course.allCases)
        let isVegan = random.below(2) == 0
        return random.pick([
            DishCondition(filter: \.course == course) { $0.course == course },
            DishCondition(filter: \.isVegan == isVegan) { $0.isVegan == isVegan },
            DishCondition(filter: Filter { $0.price % 2 == 0 }) { $0.price % 2 == 0 },
        ])
    }

    private static func predicates(_ random: inout RandomSource) -> DishCondition {
        let (low, high) = (random.dishPrice(), random.dishPrice())
        let (name, origin, rating) = (random.dishName(), random.dishOrigin(), random.dishRating())
        let since = random.dishSince()
        return random.pick([
            of(#Predicate { $0.price >= low && high > $0.price }),
            of(#Predicate { $0.name == name && $0.price <= high }),
            of(#Predicate { $0.origin == origin && $0.rating == rating }),
            of(#Predicate { $0.price < low || $0.name == name }),
            of(#Predicate { !($0.price < low && $0.since >= since) }),
            of(#Predicate { since < $0.since && $0.isVegan == true }),
            of(#Predicate { $0.isVegan && ($0.price == low || $0.price == high) }),
            of(#Predicate { ($0.rating ?? 1) > 0 && $0.origin != nil }),
        ])
    }

    /// Foundation itself says what a predicate means.
    private static func of(_ predicate: Predicate<Dish<I>>) -> DishCondition {
        DishCondition(filter: Filter(predicate)) { (try? predicate.evaluate($0)) ?? false }
    }
}

extension String {
    /// The order of the Unicode scalars in normal form C, which Swift's `<` is meant to be.
    func precedes(_ other: String) -> Bool {
        let (a, b) = (
            precomposedStringWithCanonicalMapping, other.precomposedStringWithCanonicalMapping
        )
        return a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars)
    }
}
