/// The result of a salvage: what was saved and what was lost.
///
///     let report = try Archive(at: url, reading: .upToDamage).salvage(into: target)
///     print(report.sequence, report.damages)
///
/// A value of the moment when the salvage ended.
public struct SalvageReport: Hashable, Sendable {
    /// The first event that the new store keeps, or will hold: 1 unless the history was pruned, and
    /// then the state before it was saved, too.
    public let firstSequence: SequenceNumber
    /// The last event that was saved, as were all events from the first one on.
    public let sequence: SequenceNumber
    /// The digest of the state at that event.
    public let digest: StateDigest
    /// The damage that was found, with the events that it took.
    public let damages: [DamageReport.Damage]
    /// What a crash left of the last write; not in the new store. Nil if it left nothing.
    public let tornTail: DamageReport.Damage?
    /// The later events that can be read, and are not in the new store.
    public let readableAfterDamage: [ClosedRange<SequenceNumber>]
    /// The events that only the checkpoint holds: the log has lost them. Nil if there are none.
    public internal(set) var lostEvents: ClosedRange<SequenceNumber>?
    /// The event of the checkpoint whose records were taken over without their history; nil if the
    /// events themselves were saved.
    public internal(set) var adoptedSequence: SequenceNumber?

    /// Whether every event was saved, those that only the checkpoint holds included.
    public var isComplete: Bool {
        readableAfterDamage.isEmpty && damages.allSatisfy(\.isReadable) && lostEvents == nil
            && adoptedSequence == nil
    }
}
