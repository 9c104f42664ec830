/// What changed between two checkpoints, by entity.
///
/// The content is pulled through closures, so that a million rows need no array of their own.
/// Entities are written in the order given.
package struct CheckpointBatch {
    package var changes: [EntityChanges]
    /// How many rows each entity has afterwards, as far as it has any; nil if nobody knows.
    package var rowCounts: [String: Int]?

    package init(_ changes: [EntityChanges] = [], rowCounts: [String: Int]? = nil) {
        self.changes = changes
        self.rowCounts = rowCounts
    }

    /// What changed in one entity; applied in the order of the properties.
    package struct EntityChanges {
        /// Receives a row to write: its number, its canonical id and its canonical record. The
        /// bytes are read during the call only.
        package typealias RowConsumer = (
            _ number: Int64, _ id: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
        ) throws -> Void

        package let entity: String
        /// Whether every row that is stored goes first.
        package var isCleared: Bool
        /// The numbers of rows to delete; those that are not stored are passed over.
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
