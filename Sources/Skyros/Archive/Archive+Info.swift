import SkyrosDisk
import SkyrosLog

/// The size and the extent of a store.
public struct StoreInfo: Hashable, Sendable {
    /// The last event.
    public let sequence: SequenceNumber
    /// The number of records by entity, for the entities that have any.
    public let entities: NamedValues<Int>
    /// The time of the first event; nil if there is none.
    public let firstTime: EventTime?
    /// The time of the last event; nil if there is none.
    public let lastTime: EventTime?
    /// Bytes of the log on disk.
    public let logBytes: Int
    /// Bytes of the log before compression.
    public let rawBytes: Int
    /// The number of the log's files.
    public let segmentCount: Int
    /// How many of them are sealed, that is, compressed.
    public let sealedSegmentCount: Int
    /// The event of the checkpoint; nil if there is none that can be read.
    public let checkpointSequence: SequenceNumber?
    /// The events that the checkpoint holds and the log has lost; nil if there are none.
    public let lostEvents: ClosedRange<SequenceNumber>?
    /// The estimated time of opening the store.
    public let openingMilliseconds: Int
}

extension Archive {
    /// The size and the extent of the store. O(events in the log): replay counts the records.
    ///
    /// - Parameter progress: called after each event.
    /// - Throws: `StoreError` if the log cannot be read.
    public func info(progress: (SequenceNumber) -> Void = { _ in }) throws -> StoreInfo {
        let statistics = log.statistics ?? LogStatistics()
        let checkpoint = try? checkpoint()?.position()
        let first = try event(1)?.time
        let state = try snapshot(progress: progress)
        let counts = state.recordCounts
        // An opening cannot use a checkpoint ahead of its log.
        let usable = checkpoint.map(\.sequence).flatMap { $0 <= sequence.rawValue ? $0 : nil }
        let tail = sequence.rawValue - (usable ?? 0)
        return StoreInfo(
            sequence: sequence, entities: counts,
            firstTime: first, lastTime: sequence == .zero ? nil : state.time,
            logBytes: statistics.fileBytes, rawBytes: statistics.contentBytes,
            segmentCount: statistics.segmentCount,
            sealedSegmentCount: statistics.sealedSegmentCount,
            checkpointSequence: checkpoint.map { SequenceNumber(rawValue: $0.sequence) },
            lostEvents: checkpoint.flatMap { lostEvents(before: $0) },
            openingMilliseconds: Self.openingMilliseconds(
                tail: Int(tail), rows: counts.values.reduce(0, +)))
    }

    /// Estimates one change for each event after the checkpoint.
    private static func openingMilliseconds(tail: Int, rows: Int) -> Int {
        let cost = OpeningCost.ofRows(rows) + OpeningCost.ofTail(changeCount: tail, byteCount: 0)
        return cost / 1_000_000 + 1
    }
}
