/// Chooses the rows that a request reads.
///
/// A filter is a union of branches, each of them conditions that hold together. Every branch gets
/// the index that answers most of it, or an id. If all branches have one, their rows are read; if
/// one has none, all rows are, in the order of an index where that is the requested one.
///
/// An id leads to no row where records have another id than their rows: in some states of the past.
/// Indexes whose stored values differ from the values that are read are not used; those whose keys
/// have another order than the values are used for equality only.
struct QueryPlanner {
    private let table: Table
    private let sort: [QueryPlan.Question.Key]
    /// Whether queries may use each index; nil if that was not asked yet.
    private var isUsable: [Bool?]
    /// Whether a condition on the id leads to the row.
    private let mayUseIDs: Bool

    private init(_ sort: [QueryPlan.Question.Key], _ table: Table) {
        self.table = table
        self.sort = sort
        isUsable = Array(repeating: nil, count: table.indexes.count)
        mayUseIDs = table.areIDsNewest
    }

    /// The plan of a question.
    static func plan(_ question: QueryPlan.Question, of table: Table) -> QueryPlan {
        var planner = QueryPlanner(question.sort, table)
        let branches = question.requirement.branches(countMax: branchesMax(table))
        return planner.plan(branches) ?? planner.wholePlan(question)
    }

    /// A search in an index costs about as much as testing some rows of a scan.
    private static func branchesMax(_ table: Table) -> Int { max(64, table.count / 8) }

    /// Reads all rows: in the order of an index, if one has it.
    private mutating func wholePlan(_ question: QueryPlan.Question) -> QueryPlan {
        guard let best = candidate(for: []) else { return .fullScan(question) }
        return QueryPlan(
            access: .range(best.range), isSorted: true,
            isExact: question.requirement.isAlwaysTrue)
    }

    /// The plan that reads a part of the rows for each branch; nil if that is not possible.
    private mutating func plan(_ branches: [Requirement.Branch]) -> QueryPlan? {
        var ids: [RecordID] = []
        var ranges: [QueryPlan.IndexRange] = []
        var (isExact, isSorted) = (true, true)
        for branch in branches {
            if mayUseIDs, let id = branch.conditions.lazy.compactMap(\.id).first {
                ids.append(id)
                if !branch.isExact || branch.conditions.count > 1 { isExact = false }
                continue
            }
            guard let best = candidate(for: branch.conditions), best.isBounded else { return nil }
            ranges.append(best.range)
            // Two conditions may concern one field: then not all of them are used.
            if !branch.isExact || best.conditionCount < branch.conditions.count { isExact = false }
            if best.order == nil { isSorted = false }
        }
        if ids.isEmpty, let first = ranges.first, ranges.allSatisfy({ $0 == first }) {
            return QueryPlan(access: .range(first), isSorted: isSorted, isExact: isExact)
        }
        return QueryPlan(
            access: .union(Self.union(of: ranges, ids)), isSorted: false, isExact: isExact)
    }

    /// The best index for conditions that hold together; nil if none is of use.
    private mutating func candidate(for conditions: [Condition]) -> IndexCandidate? {
        var best: IndexCandidate?
        // A copy of an index would retain each of its parts.
        for position in table.indexes.indices
        where !table.indexes[position].definition.isMultiValued {
            let fieldIDs = table.indexes[position].definition.fieldIDs
            let names = table.indexes[position].definition.fields
            let candidate = IndexCandidate(
                conditions, sort: sort, fieldCount: names.count,
                isOrdered: table.indexes[position].isOrdered, at: position,
                hasOrder: { table.indexes[position].definition.hasOrder(at: $0) }
            ) { field, place in
                switch field {
                case .property(let id): place < fieldIDs.count && fieldIDs[place] == id
                case .stored(let name): names[place].isSameName(as: name)
                }
            }
            if candidate.score > (best?.score ?? 0), mayUse(position) { best = candidate }
        }
        return best
    }

    private mutating func mayUse(_ position: Int) -> Bool {
        if let known = isUsable[position] { return known }
        let mayUse = table.mayUse(table.indexes[position])
        isUsable[position] = mayUse
        return mayUse
    }

    // MARK: Unions

    /// The parts without repetitions: ranges of one index do not overlap.
    private static func union(
        of ranges: [QueryPlan.IndexRange], _ ids: [RecordID]
    ) -> QueryPlan.Union {
        var merged: [QueryPlan.IndexRange] = []
        for range in ranges.sorted(by: precedes) where !isEmpty(range) {
            if let last = merged.last, last.index == range.index, touches(last, range) {
                merged[merged.count - 1] = united(last, range)
            } else {
                merged.append(range)
            }
        }
        let indexes = Set(merged.map(\.index))
        let uniqueIDs = Set(ids)
        return QueryPlan.Union(
            ranges: merged, ids: uniqueIDs.sorted(),
            mayRepeat: indexes.count + (uniqueIDs.isEmpty ? 0 : 1) > 1)
    }

    private static func precedes(_ a: QueryPlan.IndexRange, _ b: QueryPlan.IndexRange) -> Bool {
        if a.index != b.index { return a.index < b.index }
        guard let end = b.lower else { return false }
        return a.lower.map { $0 < end } ?? true
    }

    private static func isEmpty(_ range: QueryPlan.IndexRange) -> Bool {
        guard let lower = range.lower, let upper = range.upper else { return false }
        return lower >= upper
    }

    /// Whether a range begins before another, which does not begin later, has ended.
    private static func touches(_ a: QueryPlan.IndexRange, _ b: QueryPlan.IndexRange) -> Bool {
        guard let end = a.upper, let start = b.lower else { return true }
        return start < end
    }

    private static func united(
        _ a: QueryPlan.IndexRange, _ b: QueryPlan.IndexRange
    ) -> QueryPlan.IndexRange {
        var upper: ByteString?
        if let end = a.upper, let other = b.upper { upper = max(end, other) }
        return QueryPlan.IndexRange(
            index: a.index, lower: a.lower, upper: upper, isReversed: false, prefix: ByteString([]))
    }
}
