/// Finds the changes of records with given ids. It must see every change from the first event on,
/// and of a log that was pruned the records of its floor before.
///
/// A change that deletes all records of an entity names no ids. It counts if one of the given
/// records exists at that time.
struct RecordWatch {
    private let ids: Set<RecordID>
    /// The given ids of existing records, by entity.
    private var present = NamedValues<Set<RecordID>>()

    init(_ ids: [RecordID]) {
        self.ids = Set(ids)
    }

    /// Takes note of a record that was there before the first event.
    mutating func note(kept key: HistoryKey) {
        guard let id = key.id, ids.contains(id) else { return }
        let entity = String(decoding: key.entity, as: UTF8.self)
        var found = present[entity] ?? []
        found.insert(id)
        present[entity] = found
    }

    /// Processes a change; returns whether it changes one of the records.
    mutating func note(_ change: Change) -> Bool {
        var found = present[change.entity] ?? []
        guard let id = change.id else {
            present[change.entity] = nil
            return !found.isEmpty
        }
        guard ids.contains(id) else { return false }
        if case .deleted = change { found.remove(id) } else { found.insert(id) }
        present[change.entity] = found.isEmpty ? nil : found
        return true
    }
}
