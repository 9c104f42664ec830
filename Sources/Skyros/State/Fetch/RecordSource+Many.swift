// Reads of many records by their ids.

extension RecordSource where Self: ~Copyable {
    /// The records with these ids, each at the place of its id; nil where there is none.
    ///
    ///     let orders = try store.get(Order.self, ids).compactMap(\.self)
    ///
    /// - Complexity: O(m log n) for m ids.
    /// - Throws: `StoreError` with `.notDecodable` if a record does not fit the type.
    public func get<E: Entity>(_ type: E.Type, _ ids: some Sequence<E.ID>) throws -> [E?] {
        let snapshot = try state(of: type).snapshot
        return try ids.map { try snapshot.get(type, $0) }
    }

    /// Whether there are records with all of these ids; false if there are no ids.
    ///
    /// - Complexity: O(m log n) for m ids.
    /// - Throws: `StoreError` with `.notEncodable` if an id cannot be encoded.
    public func exists<E: Entity>(_ type: E.Type, _ ids: some Sequence<E.ID>) throws -> Bool {
        let snapshot = try state(of: type).snapshot
        var isAny = false
        for id in ids {
            guard try snapshot.exists(type, id) else { return false }
            isAny = true
        }
        return isAny
    }

    /// The current version of a value, or nil if its record was deleted. O(log n).
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the record does not fit the type.
    public func refresh<E: Entity>(_ value: E) throws -> E? {
        try get(E.self, value.id)
    }

    /// The current versions of values in their order, and the ids of those that do not exist.
    ///
    ///     let (current, missing) = try store.refresh(orders)
    ///     if !missing.isEmpty { show("\(missing.count) orders were deleted") }
    ///
    /// - Complexity: O(m log n) for m values.
    /// - Throws: `StoreError` with `.notDecodable` if a record does not fit the type.
    public func refresh<E: Entity>(
        _ values: some Sequence<E>
    ) throws -> (values: [E], missing: [E.ID]) {
        let snapshot = try state(of: E.self).snapshot
        var found: [E] = []
        var missing: [E.ID] = []
        for value in values {
            if let current = try snapshot.get(E.self, value.id) {
                found.append(current)
            } else {
                missing.append(value.id)
            }
        }
        return (found, missing)
    }
}
