/// The state at a time in the order in which things happened, not in that in which they were
/// recorded.
///
///     let march = try store.snapshot(occurred: endOfMarch)
///     let asKnownInMay = try store.snapshot(occurred: endOfMarch, knownAt: .date(may))
///     for misfit in march.misfits { print(misfit) }
///
/// An event happened at its `Metadata.occurredAt`, and without that when it was recorded. The state
/// is made of events in another order than that of the log, so a change may not fit what is there
/// then: `misfits` lists these.
public struct OccurredSnapshot: Sendable {
    /// The state. It is none of the log's history: a write cannot expect that it is unchanged.
    public let snapshot: Snapshot
    /// The changes that did not fit, in the order in which they happened.
    public let misfits: [Misfit]

    /// A change that did not find what it had found when it was recorded.
    public struct Misfit: Hashable, Sendable {
        /// What the change found.
        public enum Kind: String, Hashable, Sendable {
            /// It inserts a record that exists already: it replaces that.
            case exists
            /// It changes or deletes a record that does not exist: it is left out.
            case missing
            /// It changes or deletes a record that has other values, or deletes all records when
            /// there are more or fewer: it is carried out.
            case differs
        }

        /// What the change found.
        public let kind: Kind
        /// The event of the change.
        public let sequence: SequenceNumber
        /// When that happened.
        public let occurredAt: EventTime
        /// The record's entity.
        public let entity: String
        /// The record's id; nil if all records of the entity were deleted.
        public let id: RecordID?
    }
}

extension OccurredSnapshot.Misfit: CustomStringConvertible {
    /// The event, the record, and what was done.
    public var description: String {
        let record = id.map { "\(entity) \($0)" } ?? "all \(entity)"
        let what =
            switch kind {
            case .exists: "inserts \(record), which exists then, and is replaced"
            case .missing: "changes \(record), which does not exist then, and is left out"
            case .differs where id == nil: "deletes \(record), of which there are others then"
            case .differs: "changes \(record), which has other values then"
            }
        return "event \(sequence), which happened at \(occurredAt), \(what)"
    }
}
