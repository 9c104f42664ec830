/// The plan of a fetch request: the rows to read, and their order.
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

    /// The index to use; nil to test all rows.
    let range: IndexRange?
    /// Whether the rows are in the requested order.
    let isSorted: Bool
    /// Whether every row of the range passes the filter, so that no value needs to be read.
    let isExact: Bool
}

extension QueryPlan {
    /// The conditions and the order of a request.
    struct Question {
        /// Conditions that hold for every record that passes.
        let conditions: [Condition]
        /// Whether a record that fulfils all of them passes.
        let areConditionsSufficient: Bool
        let sort: [Key]

        /// A key of the requested order.
        struct Key {
            /// The field, if an index can give the order.
            let field: FieldID?
            let isAscending: Bool
        }
    }

    /// Chooses an index: the one that fixes most fields by equality, then one that also bounds the
    /// next field, then one that has the requested order. Indexes whose stored values differ from
    /// the values that are read are not used; those whose keys have another order than the values
    /// are used for equality only.
    init(_ question: Question, of table: Table) {
        var best: Candidate?
        // A copy of the table or of an index would retain each of its parts.
        for position in table.indexes.indices {
            let candidate = Candidate(
                question, table.indexes[position].definition.fieldIDs,
                isOrdered: table.indexes[position].isOrdered, at: position)
            if candidate.score > (best?.score ?? 0), table.mayUse(table.indexes[position]) {
                best = candidate
            }
        }
        self = best?.plan(question) ?? Self.fullScan(question)
    }

    /// The plan that reads all rows.
    static func fullScan(_ question: Question) -> QueryPlan {
        QueryPlan(
            range: nil, isSorted: question.sort.isEmpty,
            isExact: question.conditions.isEmpty && question.areConditionsSufficient)
    }
}

/// An index that could answer a question.
private struct Candidate {
    enum Order {
        case ascending, descending
    }

    private let position: Int
    /// The conditions that fix the first fields by equality, in the order of the fields.
    private var fixed: [Condition] = []
    /// The conditions that bound the next field.
    private var bounds: [Condition] = []
    /// The direction in which the index has the requested order; nil if it has another one.
    private let order: Order?

    init(
        _ question: QueryPlan.Question, _ fields: [FieldID], isOrdered: Bool, at position: Int
    ) {
        self.position = position
        var next = 0
        while next < fields.count {
            let equal = question.conditions.first {
                $0.operation == .equal && $0.field == fields[next]
            }
            guard let equal else { break }
            fixed.append(equal)
            next += 1
        }
        guard isOrdered else {
            order = nil
            return
        }
        if next < fields.count {
            for condition in question.conditions
            where condition.operation != .equal && condition.field == fields[next] {
                bounds.append(condition)
            }
        }
        order = Self.order(of: question.sort, fields[next...])
    }

    var score: Int { fixed.count * 4 + (bounds.isEmpty ? 0 : 2) + (order == nil ? 0 : 1) }

    func plan(_ question: QueryPlan.Question) -> QueryPlan {
        var prefix: [UInt8] = []
        for condition in fixed { condition.key.withUnsafeBytes { prefix += $0 } }
        let range = QueryPlan.IndexRange(
            index: position, lower: lowerBound(prefix), upper: upperBound(prefix),
            isReversed: order == .descending)
        // Two conditions may concern one field: then not all of them are used.
        let areAllUsed = fixed.count + bounds.count == question.conditions.count
        return QueryPlan(
            range: range, isSorted: order != nil,
            isExact: areAllUsed && question.areConditionsSufficient)
    }

    /// Equal rows are in the order of their ids, so the sort must use all fields of the index.
    private static func order(
        of sort: [QueryPlan.Question.Key], _ rest: ArraySlice<FieldID>
    ) -> Order? {
        guard let first = sort.first, sort.count == rest.count else { return nil }
        for (key, field) in zip(sort, rest) {
            guard key.field == field, key.isAscending == first.isAscending else { return nil }
        }
        return first.isAscending ? .ascending : .descending
    }

    private func lowerBound(_ prefix: [UInt8]) -> ByteString? {
        var lower = prefix
        for bound in bounds {
            let key = bound.key.array
            let candidate: [UInt8] =
                switch bound.operation {
                case .greaterOrEqual: prefix + key
                case .greater: IndexKey.upperBound(ofPrefix: prefix + key)
                // Only values of the same kind are less than a value: not nil.
                case .less, .lessOrEqual, .equal: prefix + key.prefix(1)
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
                case .lessOrEqual: IndexKey.upperBound(ofPrefix: prefix + key)
                case .greater, .greaterOrEqual, .equal:
                    IndexKey.upperBound(ofPrefix: prefix + key.prefix(1))
                }
            if upper.isEmpty || candidate.lexicographicallyPrecedes(upper) { upper = candidate }
        }
        return upper.isEmpty ? nil : ByteString(upper)
    }
}
