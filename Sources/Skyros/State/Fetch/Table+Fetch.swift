import Foundation

extension Table {
    /// The records that `request` asks for, in its order.
    ///
    /// - Complexity: O(log n + rows looked at); sorting, where no index gives the order, is
    ///   O(m log m) in the number of rows that pass.
    /// - Throws: `StoreError` with `.notDecodable`; what a filter throws.
    func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        if request.countMax == 0 { return [] }
        let plan = plan(request)
        if plan.isSorted || request.sort.isEmpty {
            return try fetchInOrder(request, plan)
        }
        var found: [(value: E, id: RecordID)] = []
        try forEachRow(plan) { row in
            let value = try row.value(as: E.self)
            if try request.filter?.matches(value) ?? true { found.append((value, row.id)) }
            return true
        }
        found.sort { a, b in
            for key in request.sort {
                switch key.compare(a.value, b.value) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return a.id < b.id
        }
        return found.dropFirst(request.skipCount).prefix(request.countMax).map(\.value)
    }

    /// How many records `fetch` would give.
    func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
        var count = rows.count
        if let filter = request.filter {
            count = 0
            try forEachRow(plan(request)) { row in
                if try filter.matches(row.value(as: E.self)) { count += 1 }
                return true
            }
        }
        return min(max(0, count - request.skipCount), request.countMax)
    }

    private func plan<E: Entity>(_ request: FetchRequest<E>) -> QueryPlan {
        // Records may be read as another type of the same name, which declares other indexes.
        QueryPlan(request, indexes: type == E.self ? E.indexes : []) { indexes[$0].isFaithful }
    }

    /// Takes the rows as they come, until there are enough.
    private func fetchInOrder<E: Entity>(
        _ request: FetchRequest<E>, _ plan: QueryPlan
    ) throws -> [E] {
        var skipped = 0
        var found: [E] = []
        try forEachRowInOrder(plan) { row in
            let value = try row.value(as: E.self)
            guard try request.filter?.matches(value) ?? true else { return true }
            if skipped < request.skipCount {
                skipped += 1
                return true
            }
            found.append(value)
            return found.count < request.countMax
        }
        return found
    }

    private func forEachRow(_ plan: QueryPlan, _ body: (Row) throws -> Bool) throws {
        guard let range = plan.range else { return try rows.forEach(body) }
        try scan(range) { _, row in try body(row) }
    }

    /// The rows in the order of the plan's index, or of their ids if there is no sort.
    private func forEachRowInOrder(_ plan: QueryPlan, _ body: (Row) throws -> Bool) throws {
        guard let range = plan.range else {
            for row in sortedRows() where try !body(row) { return }
            return
        }
        guard plan.isSorted else {
            var all: [Row] = []
            try scan(range) { _, row in
                all.append(row)
                return true
            }
            for row in all.sorted(by: { $0.id < $1.id }) where try !body(row) { return }
            return
        }
        if range.isReversed {
            try scanReversed(range, body)
        } else {
            try scan(range) { _, row in try body(row) }
        }
    }

    /// Backwards, but rows with equal keys in the order of their ids.
    private func scanReversed(
        _ range: QueryPlan.IndexRange, _ body: (Row) throws -> Bool
    ) throws {
        var equal: [Row] = []
        var equalKey: ByteString?
        var goesOn = true
        try scan(range) { key, row in
            if let last = equalKey, last != key {
                goesOn = try equal.reversed().allSatisfy(body)
                equal.removeAll(keepingCapacity: true)
            }
            equalKey = key
            equal.append(row)
            return goesOn
        }
        if goesOn { _ = try equal.reversed().allSatisfy(body) }
    }

    private func scan(
        _ range: QueryPlan.IndexRange, _ body: (ByteString, Row) throws -> Bool
    ) throws {
        try indexes[range.index].tree.scan(
            from: range.lower.map { KeyTree.Bound(key: $0, isInclusive: true) },
            to: range.upper.map { KeyTree.Bound(key: $0, isInclusive: false) },
            reversed: range.isReversed, body)
    }
}
