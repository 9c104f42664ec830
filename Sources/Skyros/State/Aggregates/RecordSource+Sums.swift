// Sums and averages.

extension RecordSource where Self: ~Copyable {
    /// The sum of a field over the records that pass the filter; 0 if there are none.
    ///
    ///     let cents = try store.sum(Order.self, of: \.totalCents, where: \.status == .paid)
    ///
    /// See ``Summable`` for overflow, NaN and nil.
    ///
    /// - Complexity: that of a ``fetch(_:)`` without a sort.
    /// - Throws: `StoreError` with `.overflow` if the type of the sum does not hold it; what
    ///   ``fetch(_:)`` throws.
    public func sum<E: Entity, V: Summable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil
    ) throws -> V.Total {
        var sum = Summation()
        try state(of: type).snapshot.forEachValue(type, where: filter) {
            $0[keyPath: path].add(to: &sum)
        }
        return try total(of: sum, path)
    }

    /// The sums of a field by the value of another one.
    ///
    ///     let byCustomer = try store.sum(Order.self, of: \.totalCents, groupedBy: \.customer)
    ///
    /// Errors and complexity are those of ``sum(_:of:where:)``.
    public func sum<E: Entity, V: Summable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V.Total] {
        try sums(type, path, filter, group).mapValues { try total(of: $0, path) }
    }

    /// The average of a field over the records that pass the filter; nil if there are none.
    ///
    ///     let cents = try store.average(Order.self, of: \.totalCents)
    ///
    /// It is the sum, divided by the number of the values: a `Double`, or a `Decimal` of decimals.
    /// Errors and complexity are those of ``sum(_:of:where:)``; the sum itself may be larger than
    /// its type, but for one of decimals.
    public func average<E: Entity, V: Summable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil
    ) throws -> V.Mean? {
        var sum = Summation()
        try state(of: type).snapshot.forEachValue(type, where: filter) {
            $0[keyPath: path].add(to: &sum)
        }
        return try mean(of: sum, path)
    }

    /// The averages of a field by the value of another one, without groups in which all are nil.
    ///
    /// Errors and complexity are those of ``sum(_:of:where:)``.
    public func average<E: Entity, V: Summable, K: Hashable>(
        _ type: E.Type, of path: FieldPath<E, V>, where filter: Filter<E>? = nil,
        groupedBy group: FieldPath<E, K>
    ) throws -> [K: V.Mean] {
        try sums(type, path, filter, group).compactMapValues { try mean(of: $0, path) }
    }

    private func sums<E: Entity, V: Summable, K: Hashable>(
        _ type: E.Type, _ path: FieldPath<E, V>, _ filter: Filter<E>?, _ group: FieldPath<E, K>
    ) throws -> [K: Summation] {
        var sums: [K: Summation] = [:]
        try state(of: type).snapshot.forEachValue(type, where: filter) { value in
            value[keyPath: path].add(to: &sums[value[keyPath: group], default: Summation()])
        }
        return sums
    }

    private func total<E: Entity, V: Summable>(
        of sum: Summation, _ path: FieldPath<E, V>
    ) throws -> V.Total {
        guard let total = V.total(of: sum) else { throw overflow(path, "sum", V.Total.self) }
        return total
    }

    private func mean<E: Entity, V: Summable>(
        of sum: Summation, _ path: FieldPath<E, V>
    ) throws -> V.Mean? {
        guard sum.count > 0 else { return nil }
        guard let mean = V.mean(of: sum) else { throw overflow(path, "average", V.Mean.self) }
        return mean
    }

    private func overflow<E: Entity, V>(
        _ path: FieldPath<E, V>, _ what: String, _ type: Any.Type
    ) -> StoreError {
        let name = FieldName.of(path)
        return StoreError(
            .overflow,
            "the \(what) of \(name.map { "\"\($0)\"" } ?? "a field") of \"\(E.entityName)\" does "
                + "not fit \(type); restrict the filter, or add up the values of a fetch in a "
                + "larger type", at: StoreError.Place(entity: E.entityName, field: name))
    }
}

extension Snapshot {
    /// Calls `body` with each value that passes, in no particular order.
    ///
    /// - Throws: what a fetch throws; what `body` throws.
    func forEachValue<E: Entity>(
        _ type: E.Type, where filter: Filter<E>?, _ body: (E) throws -> Void
    ) throws {
        guard let index = try tableIndex(of: type) else { return }
        let table = tables[index]
        let plan = table.plan(FetchRequest(where: filter))
        try table.forEachRow(plan) { row in
            let value = try row.value(as: type)
            if try plan.isExact || filter?.matches(value) ?? true { try body(value) }
            return true
        }
    }
}
