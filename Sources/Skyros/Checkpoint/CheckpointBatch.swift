/// What changed between two checkpoints, by entity.
///
/// Closures produce the rows, so that a million rows need no array. Entities are written in the
/// given order.
struct CheckpointBatch {
    var changes: [EntityChanges]
    /// The number of rows that each entity has afterwards, checked before the commit; nil to
    /// check nothing.
    var rowCounts: NamedValues<Int>?
    /// The fields of each index by entity; an entity that is not in it keeps what is known.
    var indexes = NamedValues<[[String]]>()
    /// What the log has recorded of the entities' shapes.
    var schemas = NamedValues<EntitySchema>()
    /// Says what becomes of the idempotency keys, for the part of the log whose keys the file has;
    /// without an answer they stay as they are.
    var keys: (StoredKeys.Range?) -> IdempotencyKeys.Changes? = { _ in nil }
    /// New values of projections.
    var projections: [StoredProjection] = []
    /// Whether every stored key and every value of a projection is deleted first.
    var replacesAll = false

    init(_ changes: [EntityChanges] = [], rowCounts: NamedValues<Int>? = nil) {
        self.changes = changes
        self.rowCounts = rowCounts
    }

    /// What changed in one entity; applied in the order of the properties.
    struct EntityChanges {
        /// Receives a row to write. Its bytes are read during the call only.
        typealias RowConsumer = (CheckpointRow) throws -> Void

        let entity: String
        /// Whether every stored row is deleted first.
        var isCleared = false
        /// The numbers of rows to delete; a number that is not stored is skipped.
        var deletions: any Sequence<Int64> = []
        /// Calls its argument once for each row that is new or has changed. New rows are written
        /// fastest in ascending order of their numbers.
        var forEachUpsert: (RowConsumer) throws -> Void = { _ in }
    }
}
