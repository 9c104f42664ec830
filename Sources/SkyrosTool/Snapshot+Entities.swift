import Skyros

extension Snapshot {
    /// - Throws: `StoreError` with `.unknownEntity` if nothing of `entity` was ever stored.
    func require(_ entity: String) throws {
        let known = entitiesEver
        guard !known.contains(entity) else { return }
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw StoreError(
            .unknownEntity,
            "there is no entity \(entity) at event \(sequence); there are \(names)",
            at: StoreError.Place(entity: entity))
    }
}
