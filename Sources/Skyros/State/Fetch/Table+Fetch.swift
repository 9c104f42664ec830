import Foundation

/// The result of a fetch: rows if no value was needed, otherwise values.
@usableFromInline
enum Fetched<E: Entity> {
    /// The rows, which the snapshot keeps alive.
    ///
    /// They are not retained: changing each reference count would be a cache miss.
    case rows([Unmanaged<Row>], of: Snapshot)
    case values([E])

    /// Decodes all values; throws `StoreError` with `.notDecodable`.
    @inlinable
    func all() throws -> [E] {
        switch self {
        case .values(let values): return values
        case .rows(let rows, let snapshot):
            return try withExtendedLifetime(snapshot) {
                var values: [E] = []
                values.reserveCapacity(rows.count)
                for row in rows {
                    values.append(
                        try row._withUnsafeGuaranteedRef { try $0.inlinedValue(as: E.self) })
                }
                return values
            }
        }
    }
}

extension Snapshot {
    /// The records of a request.
    @usableFromInline
    func rows<E: Entity>(of request: FetchRequest<E>) throws -> Fetched<E> {
        guard let index = try tableIndex(of: E.self), request.countMax > 0 else {
            return .values([])
        }
        let table = tables[index]
        let request = request.resolved
        let plan = table.plan(request)
        if plan.isExact, plan.isSorted || request.sort.isEmpty {
            return .rows(table.page(request, plan), of: self)
        }
        return .values(try table.fetch(request, plan))
    }

    /// The records of a request with the ids of their rows: in a state of the past a value may have
    /// another one.
    func valuesWithIDs<E: Entity>(
        of request: FetchRequest<E>
    ) throws -> [(value: E, id: RecordID)] {
        guard let index = try tableIndex(of: E.self), request.countMax > 0 else { return [] }
        let request = request.resolved
        return try tables[index].fetch(request, tables[index].plan(request)) { ($0, $1) }
    }
}

extension Table {
    /// The records of `request`, in its order.
    ///
    /// - Complexity: O(log n + rows tested); if no index has the order, sorting is O(m log m) in
    ///   the number of rows that pass.
    /// - Throws: `StoreError` with `.notDecodable`; what a filter throws.
    func fetch<E: Entity>(_ request: FetchRequest<E>, _ plan: QueryPlan) throws -> [E] {
        try fetch(request, plan) { value, _ in value }
    }

    /// The results for the records of `request` and the ids of their rows, in its order.
    func fetch<E: Entity, R>(
        _ request: FetchRequest<E>, _ plan: QueryPlan, _ result: (E, RecordID) -> R
    ) throws -> [R] {
        if plan.isSorted || request.sort.isEmpty {
            return try fetchInOrder(request, plan, result)
        }
        return try fetchAndSort(request, plan, result)
    }

    /// The number of records that `fetch` would return.
    func count<E: Entity>(_ request: FetchRequest<E>) throws -> Int {
        var count = rows.count
        if let filter = request.filter {
            let plan = plan(request)
            count = 0
            try forEachRow(plan) { row in
                if try plan.isExact || filter.matches(row.value(as: E.self)) { count += 1 }
                return true
            }
        }
        return min(max(0, count - request.skipCount), request.countMax)
    }

    /// The ids of the records that pass a filter. No record is decoded if an index answers it.
    func ids<E: Entity>(where filter: Filter<E>) throws -> [RecordID] {
        let plan = plan(FetchRequest(where: filter))
        var ids: [RecordID] = []
        try forEachRow(plan) { row in
            if try plan.isExact || filter.matches(row.value(as: E.self)) { ids.append(row.id) }
            return true
        }
        return ids.sorted()
    }

    /// The plan of a request whose default order is resolved.
    func plan<E: Entity>(_ request: FetchRequest<E>) -> QueryPlan {
        let question = QueryPlan.Question(
            requirement: request.filter?.requirement ?? .all([]),
            sort: request.sort.map {
                .init(field: $0.field.map { .property($0) }, isAscending: $0.isAscending)
            })
        // Another type that reads the records by their name has other fields.
        guard type == E.self else { return .fullScan(question) }
        return QueryPlanner.plan(question, of: self)
    }

    /// The rows of an exact plan, from the request's offset up to its limit.
    func page<E: Entity>(_ request: FetchRequest<E>, _ plan: QueryPlan) -> [Unmanaged<Row>] {
        var found: [Unmanaged<Row>] = []
        var left = request.skipCount
        let limit = request.countMax
        if request.limit != nil { found.reserveCapacity(min(limit, count)) }
        forEachRowInOrder(plan, upTo: request.endCount, where: { _ in true }) { row in
            if left > 0 {
                left -= 1
                return true
            }
            found.append(Unmanaged.passUnretained(row))
            return found.count < limit
        }
        return found
    }

    /// Takes rows in the plan's order until the limit.
    private func fetchInOrder<E: Entity, R>(
        _ request: FetchRequest<E>, _ plan: QueryPlan, _ result: (E, RecordID) -> R
    ) throws -> [R] {
        var left = request.skipCount
        let limit = request.countMax
        var found: [R] = []
        func passes(_ row: Row) throws -> Bool {
            try plan.isExact || request.filter?.matches(row.value(as: E.self)) ?? true
        }
        try forEachRowInOrder(plan, upTo: request.endCount, where: passes) { row in
            if left > 0 {
                left -= 1
                return true
            }
            found.append(result(try row.value(as: E.self), row.id))
            return found.count < limit
        }
        return found
    }

    private func fetchAndSort<E: Entity, R>(
        _ request: FetchRequest<E>, _ plan: QueryPlan, _ result: (E, RecordID) -> R
    ) throws -> [R] {
        typealias Found = (value: E, id: RecordID)
        let end = request.endCount
        if isSmall(end) {
            var first = BoundedSelection<Found>(end, by: request.precedes)
            try forEachRow(plan) { row in
                let value = try row.value(as: E.self)
                guard first.admits((value, row.id)) else { return true }
                if try request.filter?.matches(value) ?? true { first.add((value, row.id)) }
                return true
            }
            return first.sorted().dropFirst(request.skipCount).map { result($0.value, $0.id) }
        }
        var found: [Found] = []
        try forEachRow(plan) { row in
            let value = try row.value(as: E.self)
            if try request.filter?.matches(value) ?? true { found.append((value, row.id)) }
            return true
        }
        found.sort(by: request.precedes)
        return found.dropFirst(request.skipCount).prefix(request.countMax)
            .map { result($0.value, $0.id) }
    }

    // MARK: Rows of a plan

    /// Whether selecting this many rows costs less than sorting all.
    func isSmall(_ rowCount: Int) -> Bool { rowCount < count / 8 }

    /// Calls `body` with each row that the plan reads, until it returns false.
    func forEachRow(_ plan: QueryPlan, _ body: (Row) throws -> Bool) rethrows {
        switch plan.access {
        case .scan: try rows.forEach(body)
        case .range(let range):
            try indexes[range.index].tree.scanRows(from: range.start, to: range.end, body)
        case .union(let union): try forEachRow(union, body)
        }
    }

    private func forEachRow(
        _ union: QueryPlan.Union, _ body: (Row) throws -> Bool
    ) rethrows {
        var seen: Set<ObjectIdentifier> = []
        var isWanted = true
        for range in union.ranges where isWanted {
            try indexes[range.index].tree.scanRows(from: range.start, to: range.end) { row in
                if !union.mayRepeat || seen.insert(ObjectIdentifier(row)).inserted {
                    isWanted = try body(row)
                }
                return isWanted
            }
        }
        for id in union.ids where isWanted {
            guard let row = self.row(id),
                !union.mayRepeat || seen.insert(ObjectIdentifier(row)).inserted
            else { continue }
            isWanted = try body(row)
        }
    }

    /// Calls `body` with the rows that pass, in the order of the plan's index, or of their ids if
    /// there is no sort, until it returns false.
    ///
    /// - Parameter end: the number of passing rows after which `body` returns false.
    func forEachRowInOrder(
        _ plan: QueryPlan, upTo end: Int, where passes: (Row) throws -> Bool,
        _ body: (Row) throws -> Bool
    ) rethrows {
        guard let range = plan.range, plan.isSorted else {
            return try forEachRowByID(plan, upTo: end, where: passes, body)
        }
        let tree = indexes[range.index].tree
        if range.isReversed {
            try tree.scanRowsByDescendingKey(from: range.start, to: range.end) {
                try !passes($0) || body($0)
            }
        } else {
            try tree.scanRows(from: range.start, to: range.end) { try !passes($0) || body($0) }
        }
    }

    private func forEachRowByID(
        _ plan: QueryPlan, upTo end: Int, where passes: (Row) throws -> Bool,
        _ body: (Row) throws -> Bool
    ) rethrows {
        if isSmall(end) {
            var first = BoundedSelection<Row>(end) { $0.id < $1.id }
            try forEachRow(plan) { row in
                // Ids are compared first: of most rows, the filter need not read the value.
                if try first.admits(row) && passes(row) { first.add(row) }
                return true
            }
            for row in first.sorted() where try !body(row) { return }
            return
        }
        var all: [Row] = []
        forEachRow(plan) { row in
            all.append(row)
            return true
        }
        all.sort { $0.id < $1.id }
        for row in all where try passes(row) && !body(row) { return }
    }
}

extension QueryPlan.IndexRange {
    fileprivate var start: IndexBTree.Bound? {
        lower.map { IndexBTree.Bound(key: $0, isInclusive: true) }
    }

    fileprivate var end: IndexBTree.Bound? {
        upper.map { IndexBTree.Bound(key: $0, isInclusive: false) }
    }
}
