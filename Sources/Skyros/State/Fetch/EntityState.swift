/// All records of one type in a state, for the reads of a ``RecordSource``.
public struct EntityState: Sendable {
    /// The records; those of other types may be missing.
    @usableFromInline let snapshot: Snapshot

    @usableFromInline
    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
    }
}
