extension Snapshot {
    /// Whether each change of an entity needs a reason.
    func requiresReason(toChange entity: String) -> Bool {
        requiresReason || table(entity)?.requiresReason ?? false
    }

    /// Throws if a batch changes records of which each change needs a reason, and has none. White
    /// space is none.
    ///
    /// - Throws: `StoreError` with `.reasonRequired`.
    /// - Complexity: O(changes) without a reason.
    func requireReason(for batch: borrowing CommandBatch) throws {
        if let reason = batch.metadata.reason, !reason.allSatisfy(\.isWhitespace) { return }
        for index in batch.changes.indices {
            let table = batch.changes[index].table
            guard requiresReason || table < tables.count && tables[table].requiresReason else {
                continue
            }
            let change = batch.changes[index].change
            throw StoreError(
                .reasonRequired,
                "a change of \"\(change.entity)\" needs a reason, and the write has none: nothing "
                    + "was written. Say why, with write(because:) or "
                    + "Store.withMetadata(reason:)",
                at: StoreError.Place(entity: change.entity, ids: change.id.map { [$0] } ?? []))
        }
    }
}
