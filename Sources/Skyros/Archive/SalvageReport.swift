/// What a salvage saved, and what it lost.
///
///     let report = try Archive(at: url, reading: .upToDamage).salvage(into: target)
///     print(report.sequence, report.damages)
///
/// A value: it says what was so when the salvage ended.
public struct SalvageReport: Hashable, Sendable {
    /// The last event that was saved; all before it were saved too.
    public let sequence: SequenceNumber
    /// The digest of the state at that event.
    public let digest: StateDigest
    /// The damage that was found, and which events it took.
    public let damages: [DamageReport.Damage]
    /// What a crash had left of the last write, if so; it is not in the new store.
    public let tornTail: DamageReport.Damage?
    /// The events that can be read behind those that were saved, and are not in the new store.
    public let readableAfterDamage: [ClosedRange<SequenceNumber>]

    /// Whether every event was saved.
    public var isComplete: Bool { readableAfterDamage.isEmpty && damages.allSatisfy(\.isReadable) }
}
