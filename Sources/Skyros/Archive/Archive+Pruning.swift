public import Foundation
import SkyrosLog

/// What pruning a store would remove.
public struct PrunePlan: Hashable, Sendable {
    /// The events that would go.
    public let events: ClosedRange<SequenceNumber>
    /// The time of the last of them.
    public let time: EventTime
    /// Bytes of their files. A floor with the records of then takes their place.
    public let byteCount: Int
}

extension Archive {
    /// What `Store.prune(before:)` would remove at least; nil if no file has older events only.
    ///
    ///     if let plan = archive.prunePlan(before: date) { print(plan.events, plan.byteCount) }
    ///
    /// Files that are not compressed yet are left out: a store compresses them before it prunes. So
    /// are events that a subscription has not handled.
    ///
    /// - Throws: `StoreError` with `.positionMissing` if the position of a subscription is damaged;
    ///   `.io`.
    public func prunePlan(before date: Date) throws -> PrunePlan? {
        let time = try EventTime(checking: date)
        let positions = try PositionFiles(on: disk).all()
        let firstNeeded = positions.values.firstNeeded?.rawValue ?? .max
        let border = log.borders.last { border in
            border.timeBefore < time.microseconds && border.firstSequence <= firstNeeded
        }
        guard let border else { return nil }
        return PrunePlan(
            events: firstSequence...SequenceNumber(rawValue: border.firstSequence - 1),
            time: EventTime(microseconds: border.timeBefore), byteCount: border.byteCountBefore)
    }
}
