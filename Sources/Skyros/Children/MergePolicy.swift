/// What a merge does about records that both sides have changed.
///
/// Fields that only one side changed are never in conflict: the merged record has the changes of
/// both. A policy decides about the others.
public enum MergePolicy: Sendable {
    /// Where both changed a field, the child's value wins. A deletion on one side against an update
    /// on the other stops the merge, and so does a record that its type refuses. The default.
    case childFieldsWin
    /// Any conflict stops the merge.
    case fail
    /// Where they exclude each other, the parent's changes and deletions win.
    case parentWins
    /// Where they exclude each other, the child's changes and deletions win.
    case childWins
    /// A closure decides about each conflict, from the records of base, parent and child.
    ///
    ///     try draft.merge(policy: .resolve { conflict in
    ///         conflict.kind == .deletedByParent ? .parent : .child
    ///     })
    ///
    /// It runs on the merging thread, within the parent's write block, and must not write. What it
    /// throws stops the merge.
    case resolve(@Sendable (MergeConflict) throws -> MergeResolution)
}

/// The decision about a conflict.
public enum MergeResolution: Sendable {
    /// The parent's fields where both changed them, or the parent's deletion.
    case parent
    /// The child's fields where both changed them, or the child's deletion.
    case child
    /// This record, which must have the entity and id of the conflict, and fit its type.
    case record(Record)
    /// No record.
    case deletion
}

/// What a merge did.
public struct MergeResult: Sendable {
    /// The event of the merge; nil if nothing was to be written, or the parent is a child store.
    public let sequence: SequenceNumber?
    /// The proof of the event; nil if the parent is a child store, which has no log.
    public let receipt: Receipt?
    /// The number of records that the merge changed in the parent.
    public let changeCount: Int
    /// The conflicts that the policy has decided.
    public let conflicts: [MergeConflict]

    /// The same with another proof.
    func with(_ receipt: Receipt) -> MergeResult {
        MergeResult(
            sequence: sequence, receipt: receipt, changeCount: changeCount, conflicts: conflicts)
    }
}
