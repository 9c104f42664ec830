import Foundation
import Skyros

/// A request for parcels, beside what it means in plain Swift.
struct PlainRequest<Shelf: Shelving> {
    typealias Value = Parcel<Shelf>

    private let filter: PlainFilter<Value>?
    private let sorts: [PlainSort<Value>]
    let offset: Int
    let limit: Int?

    init(_ random: inout RandomSource) {
        filter = random.below(7) == 0 ? nil : .any(&random, depth: random.below(4))
        sorts = (0..<random.below(4)).map { _ in .any(&random) }
        offset = random.below(2) == 0 ? 0 : random.element(of: [1, 2, 7, 50, 299, 300, 301, .max])
        limit = random.below(2) == 0 ? nil : random.element(of: [0, 1, 2, 10, 100, 300, .max])
    }

    var request: FetchRequest<Value> {
        FetchRequest(
            where: filter?.filter, sortedBy: sorts.map(\.sort), offset: offset, limit: limit)
    }

    /// What the request is to give: all values filtered, sorted and sliced.
    ///
    /// Where the sort leaves two values equal, the bytes of their ids decide.
    func answer(from values: some Sequence<Value>) -> [Value] {
        let passing = values.filter { filter?.passes($0) ?? true }
        let sorted = passing.sorted { a, b in
            for sort in sorts {
                if sort.precedes(a, b) { return true }
                if sort.precedes(b, a) { return false }
            }
            let (idOfA, idOfB) = (RecordID(a.id), RecordID(b.id))
            return idOfA.bytes.array.lexicographicallyPrecedes(idOfB.bytes.array)
        }
        return Array(sorted.dropFirst(offset).prefix(limit ?? .max))
    }
}

extension PlainRequest: CustomStringConvertible {
    var description: String {
        let order = sorts.map(\.words).joined(separator: ", ")
        return "where \(filter?.words ?? "-") by \(order), offset \(offset), "
            + "limit \(limit.map(String.init) ?? "-")"
    }
}

/// A sort beside what it means in plain Swift.
struct PlainSort<E: Entity> {
    let words: String
    let sort: Sort<E>
    let precedes: (E, E) -> Bool

    /// By a field's values.
    static func by<V: Comparable & SendableMetatype>(
        _ path: FieldPath<E, V>, _ random: inout RandomSource
    ) -> PlainSort {
        if random.below(2) == 0 {
            return PlainSort(words: "\(path)", sort: .ascending(path)) {
                $0[keyPath: path] < $1[keyPath: path]
            }
        }
        return PlainSort(words: "-\(path)", sort: .descending(path)) {
            $0[keyPath: path] > $1[keyPath: path]
        }
    }

    /// By the values of a field that may be nil, which is less than any value.
    static func by<V: Comparable & SendableMetatype>(
        _ path: FieldPath<E, V?>, _ random: inout RandomSource
    ) -> PlainSort {
        func isLess(_ a: V?, _ b: V?) -> Bool {
            guard let b else { return false }
            guard let a else { return true }
            return a < b
        }
        if random.below(2) == 0 {
            return PlainSort(words: "\(path)", sort: .ascending(path)) {
                isLess($0[keyPath: path], $1[keyPath: path])
            }
        }
        return PlainSort(words: "-\(path)", sort: .descending(path)) {
            isLess($1[keyPath: path], $0[keyPath: path])
        }
    }
}

extension PlainSort {
    /// A sort of parcels by any field that has an order, but for `weight`, which may be NaN.
    static func any<Shelf>(_ random: inout RandomSource) -> PlainSort where E == Parcel<Shelf> {
        switch random.below(11) {
        case 0: by(\.city, &random)
        case 1: by(\.street, &random)
        case 2: by(\.price, &random)
        case 3: by(\.depth, &random)
        case 4: by(\.count, &random)
        case 5: by(\.stamps, &random)
        case 6: by(\.serial, &random)
        case 7: by(\.sent, &random)
        case 8: by(\.received, &random)
        case 9: by(\.sender, &random)
        default: descriptor(&random)
        }
    }

    private static func descriptor<Shelf>(_ random: inout RandomSource) -> PlainSort
    where E == Parcel<Shelf> {
        if random.below(2) == 0 {
            return PlainSort(words: "count", sort: Sort(SortDescriptor(\.count))) {
                $0.count < $1.count
            }
        }
        return PlainSort(words: "-sent", sort: Sort(SortDescriptor(\.sent, order: .reverse))) {
            $0.sent > $1.sent
        }
    }
}
