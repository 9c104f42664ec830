// Deletions of many records by their ids.

extension WriteTransaction {
    /// Deletes the records with these ids, and passes over those that do not exist; returns how
    /// many there were.
    ///
    /// - Throws: `StoreError` with `.notEncodable` if an id cannot be encoded; then none is
    ///   deleted.
    /// - Complexity: O(m log n) for m ids.
    @discardableResult
    public mutating func delete<E: Entity>(
        _ type: E.Type, _ ids: some Sequence<E.ID>
    ) throws -> Int {
        let index = try index(of: type)
        let all = try ids.map { try RecordCoding.id($0, of: type) }
        var count = 0
        for id in all {
            let found = overlay.lookUp(id, in: index)
            guard found.row != nil else { continue }
            overlay.remove(found, in: index)
            count += 1
        }
        return count
    }

    /// Deletes the records that have the values' ids, and passes over those that do not exist;
    /// returns how many there were.
    ///
    /// - Throws: `StoreError` with `.notEncodable` if an id cannot be encoded; then none is
    ///   deleted.
    /// - Complexity: O(m log n) for m values.
    @discardableResult
    public mutating func delete<E: Entity>(_ values: some Sequence<E>) throws -> Int {
        try delete(E.self, values.map(\.id))
    }

    /// Deletes the records whose field is true; returns how many.
    ///
    /// - Throws: what a fetch with this filter throws; see ``RecordSource/fetch(_:)``.
    /// - Complexity: that of the fetch, and O(log n) a record.
    @discardableResult
    public mutating func delete<E: Entity>(
        _ type: E.Type, where path: FieldPath<E, Bool>
    ) throws -> Int {
        try delete(type, where: Filter(path))
    }
}
