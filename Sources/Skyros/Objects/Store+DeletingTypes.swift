extension Store {
    /// Deletes all records of each type, as one event a type: a type that fails does not keep the
    /// others.
    ///
    ///     try store.deleteAll(User.self, Pet.self, Photo.self, by: "alice", because: "sign-out")
    ///
    /// A type without records leaves no event. To delete all types or none, delete them in one
    /// write block.
    ///
    /// - Throws: after all types were tried, `StoreError` with the code of the first failure. Its
    ///   place names that type, its message all types that were not deleted, and why.
    public func deleteAll(
        _ types: any Entity.Type..., by actor: String? = nil, because reason: String? = nil
    ) throws {
        var failures: [(entity: String, error: StoreError)] = []
        for type in types {
            do {
                try deleteAll(of: type, by: actor, because: reason)
            } catch {
                failures.append((type.entityName, StoreError.wrapping(error)))
            }
        }
        guard let first = failures.first else { return }
        let list = failures.map { "\($0.entity): \($0.error.message)" }.joined(separator: "; ")
        var place = first.error.place
        place.entity = first.entity
        let doneCount = types.count - failures.count
        throw StoreError(
            first.error.code,
            "\(doneCount) of \(types.count) types were deleted. Not deleted: \(list)",
            at: place, cause: first.error.cause)
    }

    private func deleteAll<E: Entity>(
        of type: E.Type, by actor: String?, because reason: String?
    ) throws {
        try write(by: actor, because: reason) { _ = try $0.deleteAll(type) }
    }
}
