import Foundation

@testable import Skyros

/// A query plan as plain values, for comparing.
struct PlanText: Equatable {
    var index: Int?
    var lower: [UInt8]?
    var upper: [UInt8]?
    var isReversed = false
    var isSorted: Bool

    /// All rows, in the order of their ids, which is the one asked for.
    static let allRows = PlanText(nil, nil, nil, isSorted: true)
    /// All rows, to be sorted.
    static let unsortedRows = PlanText(nil, nil, nil, isSorted: false)

    init(_ index: Int?, _ lower: [UInt8]?, _ upper: [UInt8]?, isSorted: Bool = false) {
        self.index = index
        self.lower = lower
        self.upper = upper
        self.isSorted = isSorted
    }

    init(_ plan: QueryPlan) {
        self.init(
            plan.range?.index, plan.range?.lower?.array, plan.range?.upper?.array,
            isSorted: plan.isSorted)
        isReversed = plan.range?.isReversed ?? false
    }

    static func of<E: Entity>(_ filter: Filter<E>?, _ sort: [Sort<E>] = []) -> PlanText {
        let request = FetchRequest(where: filter, sortedBy: sort)
        return PlanText(QueryPlan(request, indexes: E.indexes))
    }

    static func of<E: Entity>(_ predicate: Predicate<E>) -> PlanText {
        of(Filter(predicate))
    }

    /// The index key of some values.
    static func key(_ values: any Encodable...) throws -> [UInt8] {
        try key(values)
    }

    /// The end of the range of all keys that begin with some values.
    static func end(_ values: any Encodable...) throws -> [UInt8]? {
        IndexKey.upperBound(ofPrefix: ByteString(try key(values)))?.array
    }

    private static func key(_ values: [any Encodable]) throws -> [UInt8] {
        try values.reduce(ByteString([])) { key, value in
            try CBOREncoder().encode(value).withUnsafeBytes { try IndexKey.append($0, to: key) }
        }.array
    }
}
