/// What changed between two checkpoints, by entity.
///
/// The rows are pulled through closures, so that a million rows need no array. Entities are
/// written in the order given.
package struct CheckpointBatch {
    package var changes: [EntityChanges]
    /// The number of rows that each entity has afterwards, checked before the commit; nil to
    /// check nothing.
    package var rowCounts: [String: Int]?

    package init(_ changes: [EntityChanges] = [], rowCounts: [String: Int]? = nil) {
        self.changes = changes
        self.rowCounts = rowCounts
    }

    /// What changed in one entity; applied in the order of the properties.
    package struct EntityChanges {
        /// Receives a row to write. Its bytes are read during the call only.
        package typealias RowConsumer = (CheckpointRow) throws -> Void

        package let entity: String
        /// Whether every stored row is deleted first.
        package var isCleared: Bool
        /// The numbers of rows to delete; a number that is not stored is skipped.
        package var deletions: any Sequence<Int64>
        /// Calls its argument once for each row that is new or has changed. Ascending new
        /// numbers are written fastest.
        package var forEachUpsert: (RowConsumer) throws -> Void

        package init(
            entity: String, isCleared: Bool = false, deletions: any Sequence<Int64> = [],
            forEachUpsert: @escaping (RowConsumer) throws -> Void = { _ in }
        ) {
            self.entity = entity
            self.isCleared = isCleared
            self.deletions = deletions
            self.forEachUpsert = forEachUpsert
        }
    }
}
