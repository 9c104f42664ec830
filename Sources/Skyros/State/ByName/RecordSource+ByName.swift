// Reads by the names of entities and fields, without Swift types.

extension RecordSource where Self: ~Copyable {
    /// The records of a request by names, in its order.
    ///
    ///     let does = try store.records(
    ///         RecordRequest("Person", where: RecordField("lastname") == "Doe"))
    ///
    /// - Complexity: as that of ``fetch(_:)``.
    /// - Throws: `StoreError` with `.unknownField` if no record has a field of this name and the
    ///   entity's type does not ask for one, `.unknownEntity`, `.invalidInput` for a comparison
    ///   that has no meaning; what a closure throws.
    public func records(_ request: RecordRequest) throws -> [Record] {
        guard let table = try snapshot.knownTable(request.entity) else { return [] }
        let rows = try table.rows(
            of: request, skipping: request.skipCount, countMax: request.countMax)
        return try rows.map { try table.record($0) }
    }

    /// The records of an entity that pass a filter by names, sorted by names.
    ///
    ///     let found = try store.records(
    ///         "Person", where: RecordField("age") > 30,
    ///         sortedBy: [.ascending("lastname"), .descending("firstname")], limit: 20)
    ///
    /// Errors and complexity are those of ``records(_:)-(RecordRequest)``.
    public func records(
        _ entity: String, where filter: RecordFilter?, sortedBy sort: [RecordSort] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> [Record] {
        try records(
            RecordRequest(entity, where: filter, sortedBy: sort, offset: offset, limit: limit))
    }

    /// The records of an entity, sorted by names.
    ///
    /// Errors and complexity are those of ``records(_:)-(RecordRequest)``.
    public func records(
        _ entity: String, sortedBy sort: [RecordSort], offset: Int = 0, limit: Int? = nil
    ) throws -> [Record] {
        try records(RecordRequest(entity, sortedBy: sort, offset: offset, limit: limit))
    }

    /// How many records ``records(_:)-(RecordRequest)`` gives.
    ///
    /// Errors and complexity are those of ``records(_:)-(RecordRequest)``.
    public func count(_ request: RecordRequest) throws -> Int {
        try snapshot.knownTable(request.entity)?.count(request) ?? 0
    }

    /// A page of a request by names: as ``page(_:after:)``.
    ///
    /// - Throws: `StoreError` with `.invalidCursor`, and what ``records(_:)-(RecordRequest)``
    ///   throws.
    public func page(
        _ request: RecordRequest, after cursor: PageCursor? = nil
    ) throws -> Page<Record> {
        if let limit = request.limit, limit <= 0 {
            throw StoreError.invalidPageLimit(limit, of: request.entity)
        }
        let start = try cursor.map { cursor in
            guard cursor.request == request.signature,
                cursor.keys.count == request.sort.count
            else {
                throw StoreError.invalidCursor(of: request.entity)
            }
            return RecordSortKey(values: cursor.keys, id: cursor.id)
        }
        guard let table = try snapshot.knownTable(request.entity) else {
            return Page(items: [], next: nil)
        }
        let (end, isTooLarge) = request.countMax.addingReportingOverflow(1)
        var rows = try table.rows(
            of: request, after: start, skipping: start == nil ? request.skipCount : 0,
            countMax: isTooLarge ? .max : end)
        guard rows.count > request.countMax else {
            return Page(items: try rows.map { try table.record($0) }, next: nil)
        }
        rows.removeLast()
        let next = try rows.last.map { row throws in
            let keys = try request.sort.map { try $0.value(in: table.bytes(of: row)) }
            return PageCursor(request: request.signature, keys: keys, id: row.id)
        }
        return Page(items: try rows.map { try table.record($0) }, next: next)
    }

    /// How a request by names finds its records: as
    /// ``RecordSource/explain(_:)-(FetchRequest<E>)``.
    ///
    /// - Throws: `StoreError` with `.unknownField`, `.unknownEntity`, `.invalidInput`.
    public func explain(_ request: RecordRequest) throws -> QueryExplanation {
        guard let table = try snapshot.knownTable(request.entity) else {
            return QueryExplanation(accesses: [], testsRecords: false, sortsRecords: false)
        }
        return table.explain(try table.plan(request), isSortedByID: request.sort.isEmpty)
    }
}
