/// The records of one entity that a fork has changed, and what they were before.
///
/// Their present content is in the fork's state.
struct ForkEdits: Sendable {
    struct Edit: Sendable {
        let id: RecordID
        /// The record from which the edit started, in its newest shape; nil if there was none.
        let base: Table.Shape?
    }

    let entity: String
    /// Whether the fork deleted all records that its base has; later ones are edits.
    private(set) var isCleared = false
    /// In the order of the first changes.
    private(set) var edits: [Edit] = []
    private var ids: Set<RecordID> = []

    init(entity: String) {
        self.entity = entity
    }

    /// Remembers that a record was changed, unless it was changed before. O(1).
    mutating func note(_ id: RecordID, base: Table.Shape?) {
        if ids.insert(id).inserted { edits.append(Edit(id: id, base: base)) }
    }

    /// Remembers that all records were deleted. O(n).
    mutating func noteClearing(of table: Table) {
        isCleared = true
        table.rows.forEach { row in
            note(row.id, base: table.newestShape(of: row))
            return true
        }
    }
}
