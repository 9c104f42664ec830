extension RelationDefinition {
    /// The reference of a record, for errors and reports.
    func reference(from id: RecordID, to target: RecordID) -> RecordReference {
        RecordReference(
            entity: description.entity, id: id, field: description.field,
            target: description.target, targetID: target)
    }
}

extension [RecordID] {
    /// The ids in their order, each once.
    func withoutRepetitions() -> [RecordID] {
        var seen: Set<RecordID> = []
        return filter { seen.insert($0).inserted }
    }
}
