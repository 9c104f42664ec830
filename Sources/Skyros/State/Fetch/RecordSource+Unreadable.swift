// Reads that pass over records which do not fit their type, and list them.

extension RecordSource where Self: ~Copyable {
    /// The records that pass the request's filter, in its order; and those that cannot be read as
    /// the type, in the order of their ids.
    ///
    ///     let (orders, unreadable) = try store.fetchReadable(FetchRequest<Order>())
    ///     for misfit in unreadable { print(misfit.id, misfit.error.message, misfit.record) }
    ///
    /// ``fetch(_:)`` throws if it meets such a record. All are listed that may pass the filter,
    /// whatever the limit is.
    ///
    /// - Complexity: O(log n + rows tested), which are all rows unless an index answers the filter,
    ///   and O(m log m) for the m records that pass.
    /// - Throws: what a filter or predicate throws.
    public func fetchReadable<E: Entity>(
        _ request: FetchRequest<E>
    ) throws -> (values: [E], unreadable: [UnreadableRecord]) {
        let snapshot = try state(of: E.self).snapshot
        guard let index = try snapshot.tableIndex(of: E.self) else { return ([], []) }
        return try snapshot.tables[index].fetchReadable(request.resolved)
    }

    /// The records that pass the filter, sorted; and those that cannot be read as the type.
    ///
    ///     let (orders, unreadable) = try store.allReadable(Order.self, where: \.total > 10)
    ///
    /// Errors and complexity are those of ``fetchReadable(_:)``.
    public func allReadable<E: Entity>(
        _ type: E.Type, where filter: Filter<E>? = nil, sortedBy sort: [Sort<E>] = [],
        offset: Int = 0, limit: Int? = nil
    ) throws -> (values: [E], unreadable: [UnreadableRecord]) {
        try fetchReadable(
            FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit))
    }

    /// The records that cannot be read as the types of their entities, by entity and id.
    ///
    ///     for misfit in try store.unreadableRecords() { print(misfit.error) }
    ///
    /// Records of entities without a type are not read.
    ///
    /// - Complexity: O(n), with decoding of all records that were not read before.
    public func unreadableRecords() throws -> [UnreadableRecord] {
        try snapshot.tables.sorted(byName: \.entity).flatMap { table in
            table.unreadableRecords(amongFirst: .max)
        }
    }
}

extension Snapshot {
    /// The unreadable ones of some records of each entity.
    func unreadableRecords(amongFirst countMax: Int) -> [UnreadableRecord] {
        tables.flatMap { $0.unreadableRecords(amongFirst: countMax) }
    }
}

extension Table {
    fileprivate func fetchReadable<E: Entity>(
        _ request: FetchRequest<E>
    ) throws -> (values: [E], unreadable: [UnreadableRecord]) {
        var found: [(value: E, id: RecordID)] = []
        var unreadable: [UnreadableRecord] = []
        try forEachRow(plan(request)) { row in
            guard let value = read(row, as: E.self, &unreadable) else { return true }
            if try request.filter?.matches(value) ?? true { found.append((value, row.id)) }
            return true
        }
        found.sort { request.precedes($0, $1) }
        unreadable.sort { $0.id < $1.id }
        let page = found.dropFirst(request.skipCount).prefix(request.countMax)
        return (page.map(\.value), unreadable)
    }

    /// The records that cannot be read, in the order of their ids, among the first in the order of
    /// their hashes. O(countMax), with decoding.
    fileprivate func unreadableRecords(amongFirst countMax: Int) -> [UnreadableRecord] {
        guard let type else { return [] }
        var left = countMax
        var found: [UnreadableRecord] = []
        rows.forEach { row in
            _ = read(row, as: type, &found)
            left -= 1
            return left > 0
        }
        return found.sorted { $0.id < $1.id }
    }

    /// Reads a row; nil if that fails, which is listed.
    private func read<E: Entity>(
        _ row: Row, as type: E.Type, _ unreadable: inout [UnreadableRecord]
    ) -> E? {
        do {
            return try row.value(as: type)
        } catch {
            let record = Record(entity: entity, id: row.id, fields: Fields(trusted: row.bytes))
            unreadable.append(
                UnreadableRecord(record: record, error: StoreError.wrapping(error)))
            return nil
        }
    }
}
