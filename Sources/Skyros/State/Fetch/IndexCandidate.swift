/// An index that could answer a branch of a question.
struct IndexCandidate {
    enum Order {
        case ascending, descending
    }

    private let position: Int
    /// The conditions that fix the first fields by equality, in the order of the fields.
    private var fixed: [Condition] = []
    /// The conditions that bound the next field.
    private var bounds: [Condition] = []
    /// The direction in which the index has the requested order; nil if it has another one.
    let order: Order?

    /// - Parameters:
    ///   - conditions: those of the branch.
    ///   - hasOrder: whether a field's keys have the order of its values, if the index is ordered.
    ///   - isField: whether a reference is the index's field at a place.
    ///   - isOrdered: whether the index's keys have the order of the values.
    init(
        _ conditions: [Condition], sort: [QueryPlan.Question.Key], fieldCount: Int,
        isOrdered: Bool, at position: Int, hasOrder: (Int) -> Bool,
        isField: (FieldReference, Int) -> Bool
    ) {
        self.position = position
        var next = 0
        while next < fieldCount {
            let equal = conditions.first { $0.operation == .equal && isField($0.field, next) }
            guard let equal else { break }
            fixed.append(equal)
            next += 1
        }
        if next < fieldCount {
            for condition in conditions
            where condition.operation != .equal && isField(condition.field, next) {
                // Whether there is a value does not depend on the order of values.
                if isOrdered || condition.operation == .present { bounds.append(condition) }
            }
        }
        order = isOrdered ? Self.order(of: sort, next..<fieldCount, hasOrder, isField) : nil
    }

    /// The index that fixes most fields by equality comes first, then one that also bounds the next
    /// field, then one that has the requested order.
    var score: Int { fixed.count * 4 + (bounds.isEmpty ? 0 : 2) + (order == nil ? 0 : 1) }

    /// Whether the candidate reads a part of the index only.
    var isBounded: Bool { !fixed.isEmpty || !bounds.isEmpty }

    /// The number of conditions that hold for all rows that are read.
    var conditionCount: Int { fixed.count + bounds.count }

    /// The rows that the candidate reads.
    var range: QueryPlan.IndexRange {
        var prefix: [UInt8] = []
        for condition in fixed { condition.key.withUnsafeBytes { prefix += $0 } }
        return QueryPlan.IndexRange(
            index: position, lower: lowerBound(prefix), upper: upperBound(prefix),
            isReversed: order == .descending, prefix: ByteString(prefix))
    }

    /// Equal rows are in the order of their ids, so the sort must use all fields of the index.
    private static func order(
        of sort: [QueryPlan.Question.Key], _ rest: Range<Int>, _ hasOrder: (Int) -> Bool,
        _ isField: (FieldReference, Int) -> Bool
    ) -> Order? {
        guard let first = sort.first, sort.count == rest.count else { return nil }
        for (key, place) in zip(sort, rest) {
            guard let field = key.field, isField(field, place), hasOrder(place),
                key.isAscending == first.isAscending
            else { return nil }
        }
        return first.isAscending ? .ascending : .descending
    }

    private func lowerBound(_ prefix: [UInt8]) -> ByteString? {
        var lower = prefix
        for bound in bounds {
            let key = bound.key.array
            let candidate: [UInt8] =
                switch bound.operation {
                case .greaterOrEqual, .prefix: prefix + key
                case .greater: IndexKey.upperBound(ofPrefix: prefix + key)
                // Only values of the same kind are less than a value: not nil.
                case .less, .lessOrEqual, .equal: prefix + key.prefix(1)
                case .present: prefix + [IndexKey.Rank.null + 1]
                }
            if lower.lexicographicallyPrecedes(candidate) { lower = candidate }
        }
        return lower.isEmpty ? nil : ByteString(lower)
    }

    private func upperBound(_ prefix: [UInt8]) -> ByteString? {
        var upper = prefix.isEmpty ? [] : IndexKey.upperBound(ofPrefix: prefix)
        for bound in bounds {
            let key = bound.key.array
            let candidate: [UInt8] =
                switch bound.operation {
                case .less: prefix + key
                case .lessOrEqual, .prefix: IndexKey.upperBound(ofPrefix: prefix + key)
                case .greater, .greaterOrEqual, .equal:
                    IndexKey.upperBound(ofPrefix: prefix + key.prefix(1))
                case .present: upper
                }
            if upper.isEmpty || candidate.lexicographicallyPrecedes(upper) { upper = candidate }
        }
        return upper.isEmpty ? nil : ByteString(upper)
    }
}
