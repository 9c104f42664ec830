/// What the deletions of a write block lead to by the rules of the relations.
struct DeletionEffects {
    /// References to remove from one record.
    struct Edit {
        let record: RecordKey
        let relation: RelationDefinition
        /// The deleted records that it refers to.
        var targets: Set<RecordID>
    }

    /// A reference that denies the deletion of its target.
    struct Denial {
        let record: RecordKey
        let relation: RelationDefinition
        let target: RecordID
    }

    /// In the order in which they were found.
    private(set) var edits: [Edit] = []
    private(set) var denials: [Denial] = []
    /// All deleted records; those from `nextPosition` on were not followed yet.
    private var deleted: [RecordKey]
    private var nextPosition = 0
    /// The positions of the edits by relation and record.
    private var positions: [ObjectIdentifier: [RecordID: Int]] = [:]

    init(_ deleted: [RecordKey]) {
        self.deleted = deleted
    }

    /// The next deleted record whose referrers are to be found; nil if there is no further one.
    mutating func nextDeletion() -> RecordKey? {
        guard nextPosition < deleted.count else { return nil }
        defer { nextPosition += 1 }
        return deleted[nextPosition]
    }

    /// Notes that a record was deleted. Each is deleted once, so that cycles end.
    mutating func delete(_ record: RecordKey) {
        deleted.append(record)
    }

    mutating func edit(
        _ record: RecordKey, _ relation: RelationDefinition, removing target: RecordID
    ) {
        let id = ObjectIdentifier(relation)
        if let position = positions[id]?[record.id] {
            edits[position].targets.insert(target)
        } else {
            positions[id, default: [:]][record.id] = edits.count
            edits.append(Edit(record: record, relation: relation, targets: [target]))
        }
    }

    mutating func deny(_ record: RecordKey, _ relation: RelationDefinition, _ target: RecordID) {
        denials.append(Denial(record: record, relation: relation, target: target))
    }
}
