/// The first records of a request, in its order: those that are shown, and some in reserve.
struct LiveRecords<E: Entity>: Sendable {
    private struct Entry: Sendable {
        let row: Row
        let value: E
    }

    private let request: FetchRequest<E>
    /// The number of records from the first to the last one that is shown.
    private let end: Int
    /// The number of records that are held at most.
    private let capacity: Int
    /// The records that are held, in order. Their values are an array, of which a part is copied in
    /// one step: code of the app's types is not specialized here.
    private var rows: [Row] = []
    private var heldValues: [E] = []
    private var rowsByID: [RecordID: Row] = [:]
    /// Whether there are no records after the last one that is held.
    private var isComplete = true

    /// The number of records in reserve is that of the shown ones, within these bounds.
    static var reserveCounts: ClosedRange<Int> { 16...1_000 }

    init(_ request: FetchRequest<E>) {
        self.request = request
        let end = request.countMax == 0 ? 0 : request.endCount
        let counts = Self.reserveCounts
        let reserve = min(max(counts.lowerBound, request.countMax), counts.upperBound)
        let (sum, isTooLarge) = end.addingReportingOverflow(reserve)
        self.end = end
        capacity = end == 0 ? 0 : isTooLarge ? .max : sum
    }

    /// The values that are shown. O(their number).
    var values: [E] { Array(heldValues[shown]) }

    /// Their rows, which are the same objects as long as the records are the same.
    var shownRows: [Row] { Array(rows[shown]) }

    private var shown: Range<Int> {
        let end = min(end, rows.count)
        return min(request.skipCount, end)..<end
    }

    /// Whether records that belong to the shown ones are not held.
    var needsRefill: Bool { !isComplete && rows.count < end }

    // MARK: One record

    /// Puts the record with this id in its place, or removes it.
    ///
    /// - Parameter row: its row now; nil if it was deleted.
    /// - Returns: whether the shown records have changed.
    /// - Throws: `StoreError` with `.notDecodable`; what a filter throws. Nothing has changed then.
    /// - Complexity: O(log n) comparisons, and O(n) steps in memory, of n records that are held.
    mutating func apply(_ id: RecordID, _ row: Row?) throws -> Bool {
        let old = rowsByID[id]
        if old === row { return false }
        let entry = try row.flatMap { try self.entry($0) }
        let countBefore = rows.count
        let removed = old.map { remove($0) }
        let added = entry.flatMap { insert($0) }
        // Records after one that comes or goes move.
        switch (removed, added) {
        case (nil, nil): return false
        case (let from?, nil): return isShown(from..<countBefore)
        case (nil, let to?): return isShown(to..<rows.count)
        case (let from?, let to?): return isShown(min(from, to)..<(max(from, to) + 1))
        }
    }

    /// The row with its value, if it passes the filter.
    private func entry(_ row: Row, isExact: Bool = false) throws -> Entry? {
        let value = try row.value(as: E.self)
        guard try isExact || request.filter?.matches(value) ?? true else { return nil }
        return Entry(row: row, value: value)
    }

    private func isShown(_ changed: Range<Int>) -> Bool {
        changed.upperBound > request.skipCount && changed.lowerBound < end
    }

    private mutating func remove(_ row: Row) -> Int {
        rowsByID[row.id] = nil
        let position = position(of: row)
        rows.remove(at: position)
        heldValues.remove(at: position)
        return position
    }

    /// Inserts a record, and returns its position; nil if it comes after all that are held, and
    /// perhaps after others.
    private mutating func insert(_ entry: Entry) -> Int? {
        let position = firstPosition(after: entry)
        guard position < rows.count || isComplete, position < capacity else {
            if position >= capacity { isComplete = false }
            return nil
        }
        rows.insert(entry.row, at: position)
        heldValues.insert(entry.value, at: position)
        rowsByID[entry.row.id] = entry.row
        if rows.count > capacity {
            rowsByID[rows.removeLast().id] = nil
            heldValues.removeLast()
            isComplete = false
        }
        return position
    }

    /// Up to this number of records a scan for an object is faster than comparisons of values.
    private static var scannedMax: Int { 64 }

    private func position(of row: Row) -> Int {
        if rows.count > Self.scannedMax, let value = try? row.value(as: E.self) {
            let position = firstPosition(after: Entry(row: row, value: value)) - 1
            if position >= 0, rows[position] === row { return position }
        }
        // The order of a user's type may not be one.
        guard let position = rows.firstIndex(where: { $0 === row }) else {
            preconditionFailure("A row of the table of rows is held.")
        }
        return position
    }

    /// The position of the first record that `entry` precedes. O(log n).
    private func firstPosition(after entry: Entry) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            let other = (heldValues[middle], rows[middle].id)
            if request.precedes((entry.value, entry.row.id), other) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    // MARK: Many records

    /// Fills the page from all rows of a plan.
    ///
    /// - Complexity: as a fetch of `capacity` records.
    /// - Throws: as `apply`.
    mutating func fill(from table: Table, _ plan: QueryPlan) throws {
        let filled = try entries(of: table, plan)
        rows = filled.map { $0.row }
        heldValues = filled.map { $0.value }
        rowsByID = Dictionary(rows.map { ($0.id, $0) }) { _, last in last }
    }

    private mutating func entries(of table: Table, _ plan: QueryPlan) throws -> [Entry] {
        guard capacity > 0 else { return [] }
        if plan.range != nil, plan.isSorted {
            let list = try following(nil, in: table, plan)
            isComplete = list.count < capacity
            return list
        }
        guard capacity < .max else {
            var all: [Entry] = []
            try table.forEachRow(plan) { row in
                if let entry = try entry(row, isExact: plan.isExact) { all.append(entry) }
                return true
            }
            isComplete = true
            return all.sorted {
                request.precedes(($0.value, $0.row.id), ($1.value, $1.row.id))
            }
        }
        if request.sort.isEmpty {
            // Ids are compared first: of most rows, no value is read.
            let first = try select(
                from: table, plan, { $0 },
                passing: { try plan.isExact || entry($0) != nil }, by: { $0.id < $1.id })
            isComplete = first.isComplete
            return try first.elements.compactMap { try entry($0, isExact: true) }
        }
        let (filter, isExact) = (request.filter, plan.isExact)
        let first = try select(
            from: table, plan, { Entry(row: $0, value: try $0.value(as: E.self)) },
            passing: { try isExact || filter?.matches($0.value) ?? true },
            by: { [request] a, b in request.precedes((a.value, a.row.id), (b.value, b.row.id)) })
        isComplete = first.isComplete
        return first.elements
    }

    /// The first elements of those that are made of rows and pass, as many as may be held; and
    /// whether there are no others.
    private func select<T>(
        from table: Table, _ plan: QueryPlan, _ make: (Row) throws -> T,
        passing passes: (T) throws -> Bool, by precedes: @escaping (T, T) -> Bool
    ) throws -> (elements: [T], isComplete: Bool) {
        var first = BoundedSelection<T>(capacity, by: precedes)
        var (count, isComplete) = (0, true)
        try table.forEachRow(plan) { row in
            let element = try make(row)
            if !first.admits(element) {
                isComplete = false
            } else if try passes(element) {
                first.add(element)
                count += 1
                if count > capacity { isComplete = false }
            }
            return true
        }
        return (first.sorted(), isComplete)
    }

    /// Adds the records after the last one that is held.
    ///
    /// - Parameter plan: one with a range that has the request's order.
    /// - Complexity: O(log n + rows tested + rows with the key of the last record).
    mutating func refill(from table: Table, _ plan: QueryPlan) throws {
        let more = try following(rows.last, in: table, plan)
        isComplete = rows.count + more.count < capacity
        for entry in more where rowsByID[entry.row.id] == nil {
            rows.append(entry.row)
            heldValues.append(entry.value)
            rowsByID[entry.row.id] = entry.row
        }
    }

    /// The entries after `last`, in the order of the plan's index, as many as there is room for.
    private func following(
        _ last: Row?, in table: Table, _ plan: QueryPlan
    ) throws -> [Entry] {
        guard let range = plan.range else { return [] }
        let wanted = capacity - (last == nil ? 0 : rows.count)
        let index = table.indexes[range.index]
        let lastKey = try last.map { try index.definition.checkedKey(of: $0).key }
        var found: [Entry] = []
        var isPast = last == nil
        func visit(_ row: Row) throws -> Bool {
            if !isPast, let last, let lastKey {
                if try index.definition.checkedKey(of: row).key == lastKey,
                    row.id <= last.id
                {
                    return true
                }
                isPast = true
            }
            guard let entry = try entry(row, isExact: plan.isExact) else { return true }
            found.append(entry)
            return found.count < wanted
        }
        var lower = range.lower.map { IndexBTree.Bound(key: $0, isInclusive: true) }
        var upper = range.upper.map { IndexBTree.Bound(key: $0, isInclusive: false) }
        if let lastKey {
            let bound = IndexBTree.Bound(key: lastKey, isInclusive: true)
            if range.isReversed { upper = bound } else { lower = bound }
        }
        if range.isReversed {
            try index.tree.scanRowsByDescendingKey(from: lower, to: upper, visit)
        } else {
            try index.tree.scanRows(from: lower, to: upper, visit)
        }
        return found
    }
}
