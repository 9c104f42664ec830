import Skyros

/// Finds the changes of records with given ids. It must see every change from the first event on.
///
/// A change that deletes all records of an entity names no ids. It counts if one of the given
/// records exists at that time.
struct RecordWatch {
    private let ids: Set<RecordID>
    /// The given ids of existing records, by entity.
    private var present: [String: Set<RecordID>] = [:]

    init(_ ids: [RecordID]) {
        self.ids = Set(ids)
    }

    /// Processes a change; returns whether it changes one of the records.
    mutating func note(_ change: Change) -> Bool {
        guard let id = change.id else { return present.removeValue(forKey: change.entity) != nil }
        guard ids.contains(id) else { return false }
        if case .deleted = change {
            present[change.entity]?.remove(id)
            if present[change.entity]?.isEmpty == true { present[change.entity] = nil }
        } else {
            present[change.entity, default: []].insert(id)
        }
        return true
    }
}
