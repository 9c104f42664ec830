import Skyros

/// Follows the records with some ids from event to event, in order, from the first one on.
///
/// An event that deletes all records of an entity names none of them; it concerns those that are
/// there.
struct RecordWatch {
    private let ids: Set<RecordID>
    /// The ids that are there, by entity.
    private var present: [String: Set<RecordID>] = [:]

    init(_ ids: [RecordID]) {
        self.ids = Set(ids)
    }

    /// Notes a change; returns whether it concerns one of the records.
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
