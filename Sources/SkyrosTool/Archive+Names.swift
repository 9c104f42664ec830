import Skyros

extension Archive {
    /// - Throws: `StoreError` with `.unknownEntity` if no event up to the moment changes records of
    ///   `entity`.
    func require(_ entity: String, in state: Snapshot? = nil) throws {
        if state?.entities.containsName(entity) == true { return }
        // The records may all have been deleted before.
        let known = try tables(through: state?.sequence).map(\.entity).sortedNames()
        guard !known.containsName(entity) else { return }
        let spelled = known.map { $0.spelled(besides: [entity]) }.joined(separator: ", ")
        let names = known.isEmpty ? "none" : spelled
        throw StoreError(
            .unknownEntity,
            "the store has no entity \(entity.spelled(besides: known)) "
                + "at event \(state?.sequence ?? sequence); "
                + "known entities: \(names)",
            at: StoreError.Place(entity: entity))
    }

    /// - Throws: always: `StoreError` with `.notFound`, which names some of the records that exist.
    func throwUnknown(_ id: String, of entity: String?) throws {
        let state = try newestSnapshot()
        let entities = entity.map { [$0] } ?? state.entities
        throw state.unknown(
            id, in: entities, "no event changes a record \(entity.map { $0 + " " } ?? "")\(id)")
    }
}

extension Snapshot {
    /// The error for a record that does not exist, with some that do.
    func unknown(_ id: String, in entities: [String], _ what: String) -> StoreError {
        let known = entities.map { entity in
            let ids = firstIDs(of: entity, count: 5).map(\.description)
            let rest = count(entity) > ids.count ? ", …" : ""
            let names = ids.isEmpty ? "none" : ids.joined(separator: ", ") + rest
            return "\(entity): \(names)"
        }
        return StoreError(
            .notFound, "\(what); ids at event \(sequence): \(known.joined(separator: "; "))")
    }
}
