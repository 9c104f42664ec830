extension Table {
    /// The rows of a request, after a position, in its order.
    ///
    /// - Throws: `StoreError` with `.unknownField`, `.invalidInput`; what a closure throws.
    func rows(
        of request: RecordRequest, after start: RecordSortKey? = nil, skipping skipCount: Int,
        countMax: Int
    ) throws -> [Row] {
        let plan = try plan(request)
        guard countMax > 0 else { return [] }
        let (sum, isTooLarge) = countMax.addingReportingOverflow(skipCount)
        let end = isTooLarge ? Int.max : sum
        func key(_ row: Row) throws -> RecordSortKey {
            let bytes = bytes(of: row)
            return RecordSortKey(
                values: try request.sort.map { try $0.value(in: bytes) }, id: row.id)
        }
        func passes(_ row: Row) throws -> Bool {
            if let start, !start.precedes(try key(row), request.sort) { return false }
            return try plan.isExact || request.filter?.matches(row, in: self) ?? true
        }
        var found: [Row] = []
        if plan.isSorted || request.sort.isEmpty {
            let components = start.flatMap { IndexKey.regularComponents(of: $0.values) }
            try forEachRowInOrder(plan.continued(after: components), upTo: end, where: passes) {
                found.append($0)
                return found.count < end
            }
            return Array(found.dropFirst(skipCount))
        }
        var first = BoundedSelection<(row: Row, key: RecordSortKey)>(end) {
            $0.key.precedes($1.key, request.sort)
        }
        try forEachRow(plan) { row in
            let element = (row: row, key: try key(row))
            if first.admits(element), try passes(row) { first.add(element) }
            return true
        }
        return first.sorted().dropFirst(skipCount).map(\.row)
    }

    /// The number of rows that pass.
    func count(_ request: RecordRequest) throws -> Int {
        let plan = try plan(request)
        var count = 0
        if request.filter == nil {
            count = rows.count
        } else {
            try forEachRow(plan) { row in
                if try plan.isExact || request.filter?.matches(row, in: self) ?? true {
                    count += 1
                }
                return true
            }
        }
        return min(max(0, count - request.skipCount), request.countMax)
    }

    /// The plan of a request whose fields and values are checked.
    func plan(_ request: RecordRequest) throws -> QueryPlan {
        for comparison in request.filter?.comparisons ?? [] { try comparison.check(in: entity) }
        try requireKnown(request.fields)
        return QueryPlanner.plan(request.question, of: self)
    }
}

// MARK: Names of fields

extension Table {
    /// Among this many records a field is searched before the type is asked.
    private static let searchedMax = 64

    /// Checks that the fields exist.
    ///
    /// - Throws: `StoreError` with `.unknownField`.
    /// - Complexity: O(1) if one of the first records has each field, or if the type asks for it;
    ///   otherwise O(n).
    func requireKnown(_ fields: [String]) throws {
        let unknown = fields.filter { !isKnown($0) }
        guard unknown.isEmpty else { throw unknownField(unknown) }
    }

    private func isKnown(_ field: String) -> Bool {
        if rows.count == 0 || has(field, amongFirst: Self.searchedMax) { return true }
        return isRead(field) || has(field, amongFirst: .max)
    }

    private func has(_ field: String, amongFirst countMax: Int) -> Bool {
        var (left, isFound) = (countMax, false)
        rows.forEach { row in
            isFound = Fields(trusted: bytes(of: row)).has(field)
            left -= 1
            return !isFound && left > 0
        }
        return isFound
    }

    /// Whether the entity's type asks for a field when it reads a record.
    private func isRead(_ field: String) -> Bool {
        guard let type else { return false }
        var isRead = false
        rows.forEach { row in
            let bytes = (try? row.completeBytes(for: type)) ?? bytes(of: row)
            isRead = Fields(trusted: bytes).isRead(field, by: type)
            return false
        }
        return isRead
    }

    private func unknownField(_ fields: [String]) -> StoreError {
        var known: [String] = []
        rows.forEach { row in
            known = Fields(trusted: bytes(of: row)).names
            return false
        }
        return .unknownField(fields, of: entity, known: known)
    }
}
