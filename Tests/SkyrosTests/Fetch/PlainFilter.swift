import Foundation
import Skyros

/// A filter beside what it means in plain Swift.
struct PlainFilter<E: Entity> {
    let words: String
    let filter: Filter<E>
    let passes: (E) -> Bool

    init(_ words: String, _ filter: Filter<E>, _ passes: @escaping (E) -> Bool) {
        self.words = words
        self.filter = filter
        self.passes = passes
    }

    /// A field equals a value, or does not.
    static func equality<V: Equatable & Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ value: V, _ random: inout RandomSource
    ) -> PlainFilter {
        if random.below(4) == 0 {
            return PlainFilter("\(path) != \(value)", path != value) { $0[keyPath: path] != value }
        }
        return PlainFilter("\(path) == \(value)", path == value) { $0[keyPath: path] == value }
    }

    /// A field compares with a value in any way.
    static func comparison<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ value: V, _ random: inout RandomSource
    ) -> PlainFilter {
        switch random.below(8) {
        case 0: PlainFilter("\(path) < \(value)", path < value) { $0[keyPath: path] < value }
        case 1: PlainFilter("\(path) <= \(value)", path <= value) { $0[keyPath: path] <= value }
        case 2: PlainFilter("\(path) > \(value)", path > value) { $0[keyPath: path] > value }
        case 3: PlainFilter("\(path) >= \(value)", path >= value) { $0[keyPath: path] >= value }
        default: equality(path, value, &random)
        }
    }

    /// A field that may be nil compares with a value in any way, or is nil.
    static func comparison<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V?>, _ value: V, _ random: inout RandomSource
    ) -> PlainFilter {
        func test(_ isTrue: @escaping (V) -> Bool) -> (E) -> Bool {
            { $0[keyPath: path].map(isTrue) ?? false }
        }
        switch random.below(8) {
        case 0: return PlainFilter("\(path) < \(value)", path < value, test { $0 < value })
        case 1: return PlainFilter("\(path) <= \(value)", path <= value, test { $0 <= value })
        case 2: return PlainFilter("\(path) > \(value)", path > value, test { $0 > value })
        case 3: return PlainFilter("\(path) >= \(value)", path >= value, test { $0 >= value })
        case 4: return equality(path, nil, &random)
        default: return equality(path, value, &random)
        }
    }
}

extension PlainFilter {
    /// A filter of parcels with conditions nested to `depth` levels.
    static func any<Shelf>(_ random: inout RandomSource, depth: Int) -> PlainFilter
    where E == Parcel<Shelf> {
        guard depth > 0 else {
            return switch random.below(8) {
            case 0: predicate(&random)
            case 1: closure(&random)
            case 2, 3: choice(&random)
            case 4, 5: required(&random)
            default: optional(&random)
            }
        }
        let a: PlainFilter = .any(&random, depth: depth - 1)
        let b: PlainFilter = .any(&random, depth: depth - 1)
        switch random.below(8) {
        case 0:
            return PlainFilter("(\(a.words) || \(b.words))", a.filter || b.filter) {
                a.passes($0) || b.passes($0)
            }
        case 1: return PlainFilter("!\(a.words)", !a.filter) { !a.passes($0) }
        default:
            return PlainFilter("(\(a.words) && \(b.words))", a.filter && b.filter) {
                a.passes($0) && b.passes($0)
            }
        }
    }

    private static func required<Shelf>(_ random: inout RandomSource) -> PlainFilter
    where E == Parcel<Shelf> {
        switch random.below(7) {
        case 0: comparison(\.city, random.city(), &random)
        case 1: comparison(\.weight, random.below(9) == 0 ? .nan : random.weight(), &random)
        case 2: comparison(\.depth, Float(random.below(4)) / 3, &random)
        case 3: comparison(\.count, random.below(9) - 4, &random)
        case 4: comparison(\.serial, [0, 1, .max, .max - 1][random.below(4)], &random)
        case 5: comparison(\.sent, random.date(), &random)
        default: comparison(\.sender, random.sender(), &random)
        }
    }

    private static func optional<Shelf>(_ random: inout RandomSource) -> PlainFilter
    where E == Parcel<Shelf> {
        switch random.below(4) {
        case 0: comparison(\.street, random.city(), &random)
        case 1: comparison(\.price, random.weight(), &random)
        case 2: comparison(\.stamps, random.below(5), &random)
        default: comparison(\.received, random.date(), &random)
        }
    }

    private static func choice<Shelf>(_ random: inout RandomSource) -> PlainFilter
    where E == Parcel<Shelf> {
        switch random.below(5) {
        case 0: equality(\.isPaid, random.below(2) == 0, &random)
        case 1: equality(\.isInsured, [nil, true, false][random.below(3)], &random)
        case 2: equality(\.size, random.element(of: Parcel<Shelf>.Size.allCases), &random)
        case 3: equality(\.speed, [nil, .slow, .fast][random.below(3)], &random)
        default: equality(\.handling, [.normal, .fragile][random.below(2)], &random)
        }
    }

    private static func closure<Shelf>(_ random: inout RandomSource) -> PlainFilter
    where E == Parcel<Shelf> {
        let count = random.below(9) - 4
        return PlainFilter("{ count > \(count) }", Filter { $0.count > count }) {
            $0.count > count
        }
    }

    private static func predicate<Shelf>(_ random: inout RandomSource) -> PlainFilter
    where E == Parcel<Shelf> {
        let (city, count, weight) = (random.city(), random.below(9) - 4, random.weight())
        let (stamps, date) = (random.below(2) == 0 ? nil : random.below(5), random.date())
        let words = "#\(city) \(count) \(weight) \(stamps as Int?) \(date)"
        let (predicate, passes): (Predicate<E>, (E) -> Bool) =
            switch random.below(6) {
            case 0: (#Predicate { $0.city == city }, { $0.city == city })
            case 1:
                (
                    #Predicate { count <= $0.count && $0.weight < weight },
                    { count <= $0.count && $0.weight < weight }
                )
            case 2:
                (
                    #Predicate { $0.city == city && ($0.count > count || $0.isPaid) },
                    { $0.city == city && ($0.count > count || $0.isPaid) }
                )
            case 3: (#Predicate { !($0.stamps == stamps) }, { $0.stamps != stamps })
            case 4:
                (
                    #Predicate { $0.stamps == stamps && date < $0.sent && $0.isPaid == true },
                    { $0.stamps == stamps && date < $0.sent && $0.isPaid }
                )
            default:
                (
                    #Predicate { weight >= $0.weight && $0.count != count },
                    { weight >= $0.weight && $0.count != count }
                )
            }
        return PlainFilter(words, Filter(predicate), passes)
    }
}
