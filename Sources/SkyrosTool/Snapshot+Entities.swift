import Skyros

extension Snapshot {
    /// - Throws: `StoreError` with `.unknownEntity` if no record of `entity` was ever stored.
    func require(_ entity: String) throws {
        let known = entitiesEver
        guard !known.contains(entity) else { return }
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw StoreError(
            .unknownEntity,
            "the store has no entity \(entity) at event \(sequence); known entities: \(names)",
            at: StoreError.Place(entity: entity))
    }
}
