/// What a write block is about to commit, for a hook of ``Store/willCommit(_:)``.
public struct PendingCommit: Sendable {
    /// Actor, reason, correlation, causation, tags, and when it happened.
    public let metadata: Metadata
    /// The domain command, if the write block has one.
    public let intent: Intent?
    /// The state that readers see, without the changes.
    public let stateBefore: Snapshot
    private let staged: [StagedChange]

    init(_ batch: borrowing CommandBatch, on stateBefore: Snapshot) {
        metadata = batch.metadata
        intent = batch.intent
        staged = batch.changes
        self.stateBefore = stateBefore
    }

    /// The changes of all entities, as the event will hold them; at least one.
    public var changes: [Change] { staged.map(\.change) }

    /// The records of a type that the block has changed, before and after.
    ///
    /// - Complexity: O(changes); a value is decoded where it is asked for.
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened without the type.
    public func changes<E: Entity>(of type: E.Type) throws -> [RecordChange<E>] {
        guard let table = try stateBefore.tableIndex(of: type) else { return [] }
        return staged.changedRows(inTableAt: table).map { RecordChange($0) }
    }
}
