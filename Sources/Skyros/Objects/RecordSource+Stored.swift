extension RecordSource where Self: ~Copyable {
    /// Whether the value was saved: whether there is a record with its id, whatever its other
    /// fields. O(log n).
    ///
    ///     if try !store.isStored(draft) { … }
    ///
    /// - Throws: `StoreError` with `.notEncodable` if the id cannot be encoded.
    public func isStored<E: Entity>(_ value: E) throws -> Bool {
        try exists(E.self, value.id)
    }
}
