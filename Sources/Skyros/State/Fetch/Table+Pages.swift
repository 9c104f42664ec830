extension Snapshot {
    /// A page of a request, see `RecordSource.page`.
    func page<E: Entity>(
        of request: FetchRequest<E>, after cursor: PageCursor?
    ) throws -> Page<E> {
        if let limit = request.limit, limit <= 0 {
            throw StoreError.invalidPageLimit(limit, of: E.entityName)
        }
        let request = request.resolved
        let position = try PagePosition(request, after: cursor)
        guard let index = try tableIndex(of: E.self) else { return Page(items: [], next: nil) }
        let (end, isTooLarge) = request.countMax.addingReportingOverflow(1)
        var found = try tables[index].page(request, position, countMax: isTooLarge ? .max : end)
        guard found.count > request.countMax else {
            return Page(items: found.map(\.value), next: nil)
        }
        found.removeLast()
        let next = try found.last.map { try position.cursor(after: $0.value, $0.id) }
        return Page(items: found.map(\.value), next: next)
    }
}

extension Table {
    /// The first records after a position; the offset counts from the beginning only.
    fileprivate func page<E: Entity>(
        _ request: FetchRequest<E>, _ position: PagePosition<E>, countMax: Int
    ) throws -> [(value: E, id: RecordID)] {
        let plan = plan(request).continued(after: position.start?.components)
        var left = position.start == nil ? request.skipCount : 0
        let (sum, isTooLarge) = countMax.addingReportingOverflow(left)
        let end = isTooLarge ? Int.max : sum
        var found: [(value: E, id: RecordID)] = []
        if plan.isSorted || request.sort.isEmpty {
            func passes(_ row: Row) throws -> Bool {
                let value = try row.value(as: E.self)
                return try position.isBefore(value, row.id)
                    && request.filter?.matches(value) ?? true
            }
            try forEachRowInOrder(plan, upTo: end, where: passes) { row in
                if left > 0 {
                    left -= 1
                    return true
                }
                found.append((try row.value(as: E.self), row.id))
                return found.count < countMax
            }
            return found
        }
        var first = BoundedSelection<(value: E, id: RecordID)>(end, by: request.precedes)
        try forEachRow(plan) { row in
            let value = try row.value(as: E.self)
            guard position.isBefore(value, row.id), first.admits((value, row.id)) else {
                return true
            }
            if try request.filter?.matches(value) ?? true { first.add((value, row.id)) }
            return true
        }
        return Array(first.sorted().dropFirst(left))
    }
}

extension QueryPlan {
    /// The plan without the rows before a position in its index.
    ///
    /// - Parameter components: those of the sort's fields; nil if they are not known.
    func continued(after components: [UInt8]?) -> QueryPlan {
        guard isSorted, let range, let components, !components.isEmpty else { return self }
        let key = range.prefix.array + components
        var (lower, upper) = (range.lower, range.upper)
        if range.isReversed {
            let end = IndexKey.upperBound(ofPrefix: key)
            if !end.isEmpty { upper = upper.map { min($0, ByteString(end)) } ?? ByteString(end) }
        } else {
            lower = lower.map { max($0, ByteString(key)) } ?? ByteString(key)
        }
        let rest = IndexRange(
            index: range.index, lower: lower, upper: upper, isReversed: range.isReversed,
            prefix: range.prefix)
        return QueryPlan(access: .range(rest), isSorted: true, isExact: isExact)
    }
}
