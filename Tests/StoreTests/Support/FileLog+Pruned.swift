import SkyrosDisk
import SkyrosLog

@testable import Skyros

extension FileLog {
    /// Replaces the first half of a closed store's segments by a floor; returns the first event
    /// that is kept.
    ///
    /// - Parameter isWhole: whether all of them are replaced, and no event is kept.
    static func prune(on disk: any Disk, isWhole: Bool = false) throws -> UInt64 {
        var options = LogOptions()
        options.sealThresholdBytes = 0
        let inspection = try LogInspection(
            of: disk, options, framing: EventCoding.byteCount(of:))
        let (log, _) = try open(inspection, on: disk, options)
        let newest = try Archive(on: Environment(disk: disk)).snapshot()
        if isWhole {
            _ = try log.endSegment(after: newest.sequence.rawValue, at: newest.time.microseconds)
            while try log.sealNext() {}
        }
        let borders = log.borders
        let first = borders[isWhole ? borders.count - 1 : borders.count / 2].firstSequence
        let state = try Archive(on: Environment(disk: disk))
            .snapshot(asOf: .sequence(SequenceNumber(rawValue: first - 1)))
        var head = FloorHead()
        head.reason = "a test"
        let builder = try FloorBuilder(head, state, RecordStamps())
        let floor = try log.makeFloor(
            below: first, { try builder.write(to: &$0) },
            check: { floor throws(LogError) in try builder.check(floor) })
        _ = try log.prune(to: floor) {}
        try log.close()
        return first
    }
}
