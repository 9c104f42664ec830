/// How a fetch request is answered: from which rows, in which order.
struct QueryPlan: Sendable {
    /// A range of an index.
    struct IndexRange: Sendable {
        let index: Int
        /// Keys from this one on, this one included; nil from the first.
        let lower: ByteString?
        /// Keys up to this one, this one not included; nil to the last.
        let upper: ByteString?
        let isReversed: Bool
    }

    /// The index to use; nil to try all rows.
    let range: IndexRange?
    /// Whether the rows come in the order that was asked for.
    let isSorted: Bool
}

extension QueryPlan {
    /// Chooses an index for `request`: the one that fixes most fields by equality, then one that
    /// also bounds the next field, then one that gives the order.
    init<E: Entity>(
        _ request: FetchRequest<E>, indexes: [Index<E>], isUsable: (Int) -> Bool = { _ in true }
    ) {
        var best: (plan: QueryPlan, score: Int)?
        for (position, index) in indexes.enumerated() where isUsable(position) {
            let (plan, score) = Self.plan(request, index, at: position)
            if score > (best?.score ?? 0) { best = (plan, score) }
        }
        self = best?.plan ?? QueryPlan(range: nil, isSorted: request.sort.isEmpty)
    }

    private static func plan<E: Entity>(
        _ request: FetchRequest<E>, _ index: Index<E>, at position: Int
    ) -> (QueryPlan, Int) {
        let comparisons = request.filter?.necessary ?? []
        var prefix: [UInt8] = []
        var fixedCount = 0
        for part in index.parts {
            let equal = comparisons.first { $0.operation == .equal && $0.path == part.path }
            guard let key = equal?.key else { break }
            prefix += key
            fixedCount += 1
        }
        let next = index.parts.dropFirst(fixedCount).first
        let bounds = comparisons.filter {
            $0.operation != .equal && $0.path == next?.path && $0.key != nil
        }
        let order = order(of: request.sort, index, fixedCount: fixedCount)
        let range = IndexRange(
            index: position,
            lower: lowerBound(prefix, bounds),
            upper: upperBound(prefix, bounds),
            isReversed: order == .descending)
        let score = fixedCount * 4 + (bounds.isEmpty ? 0 : 2) + (order == nil ? 0 : 1)
        return (QueryPlan(range: range, isSorted: order != nil), score)
    }

    private enum Order {
        case ascending, descending
    }

    /// The direction in which the index gives the order asked for; nil if it does not.
    ///
    /// Ids decide between equal rows, so the sort must reach to the end of the index.
    private static func order<E: Entity>(
        of sort: [Sort<E>], _ index: Index<E>, fixedCount: Int
    ) -> Order? {
        let rest = index.parts.dropFirst(fixedCount)
        guard !sort.isEmpty, sort.count == rest.count,
            zip(sort, rest).allSatisfy({ $0.path == $1.path })
        else { return nil }
        if sort.allSatisfy(\.isAscending) { return .ascending }
        return sort.allSatisfy { !$0.isAscending } ? .descending : nil
    }

    private static func lowerBound<E: Entity>(
        _ prefix: [UInt8], _ bounds: [Comparison<E>]
    ) -> ByteString? {
        var lower = prefix
        for bound in bounds {
            guard let key = bound.key else { continue }
            let candidate: [UInt8] =
                switch bound.operation {
                case .greaterOrEqual: prefix + key
                case .greater: successor(of: prefix + key)
                // Only values of the same kind are less than a value: not nil.
                case .less, .lessOrEqual, .equal: prefix + key.prefix(1)
                }
            if lower.lexicographicallyPrecedes(candidate) { lower = candidate }
        }
        return lower.isEmpty ? nil : ByteString(lower)
    }

    private static func upperBound<E: Entity>(
        _ prefix: [UInt8], _ bounds: [Comparison<E>]
    ) -> ByteString? {
        var upper = prefix.isEmpty ? [] : successor(of: prefix)
        for bound in bounds {
            guard let key = bound.key else { continue }
            let candidate: [UInt8] =
                switch bound.operation {
                case .less: prefix + key
                case .lessOrEqual: successor(of: prefix + key)
                case .greater, .greaterOrEqual, .equal:
                    successor(of: prefix + key.prefix(1))
                }
            if upper.isEmpty || candidate.lexicographicallyPrecedes(upper) { upper = candidate }
        }
        return upper.isEmpty ? nil : ByteString(upper)
    }

    /// The smallest key greater than all with this prefix; empty if there is none.
    private static func successor(of prefix: [UInt8]) -> [UInt8] {
        IndexKey.upperBound(ofPrefix: ByteString(prefix))?.array ?? []
    }
}
