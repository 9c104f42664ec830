import SkyrosDisk
import SkyrosLog

/// The size and the extent of a store.
public struct StoreInfo: Hashable, Sendable {
    /// The last event.
    public let sequence: SequenceNumber
    /// The number of records by entity, for the entities that have any.
    public let entities: NamedValues<Int>
    /// The first event that is kept: 1 unless the history was pruned.
    public let firstSequence: SequenceNumber
    /// The time of the first event that is kept; nil if there is none.
    public let firstTime: EventTime?
    /// The time of the last event; nil if there is none.
    public let lastTime: EventTime?
    /// Bytes of the log on disk.
    public let logBytes: Int
    /// Those of the floor, which is there if the history was pruned.
    public let floorBytes: Int
    /// Bytes of the log before compression.
    public let rawBytes: Int
    /// The number of the log's files.
    public let segmentCount: Int
    /// How many of them are sealed, that is, compressed.
    public let sealedSegmentCount: Int
    /// Bytes of the index of the history, which can be made again.
    public let historyBytes: Int
    /// The last event that it covers; nil if there is none.
    public let historySequence: SequenceNumber?
    /// The event of the checkpoint; nil if there is none that can be read.
    public let checkpointSequence: SequenceNumber?
    /// Why the checkpoint cannot be used, as in "damaged: …"; nil if it can, or if there is none.
    public let checkpointProblem: String?
    /// The projections that the checkpoint holds.
    public let projections: [ProjectionInfo]
    /// How far each subscription has come; nil for a position that is damaged. Those that the app
    /// keeps elsewhere are not known.
    public let subscriptions: NamedValues<SubscriptionPosition?>
    /// The events that the checkpoint holds and the log has lost; nil if there are none.
    public let lostEvents: ClosedRange<SequenceNumber>?
    /// The time in which an app would open the store now, on this machine: the same work was timed.
    public let openingMilliseconds: Int
    /// How far the sealed segments were read again, and the rot that was found; nil if they never
    /// were.
    public let scrub: ScrubReport?
}

extension Archive {
    /// Calls `body` with each event and its number of bytes before compression.
    ///
    /// - Throws: what `body` throws; `StoreError` with `.logCorrupt` and the like if the log is
    ///   damaged.
    package func forEachEvent(_ body: (Event, _ byteCount: Int) throws -> Void) throws {
        let reader = EventReader(log)
        try reader.forEachEncoded(from: firstSequence, through: sequence) { number, bytes, _ in
            try body(EventCoding.event(from: bytes, expecting: number), bytes.count)
            return true
        }
    }
}

extension Archive {
    /// The size and the extent of the store, and how long an opening takes.
    ///
    /// It reads the checkpoint and the events after it as an opening does, with the indexes that
    /// the checkpoint names. So a damage in the log before the checkpoint is no obstacle.
    ///
    /// - Parameter progress: called now and then with the number of records and events read, and
    ///   that of all.
    /// - Complexity: O(records + events after the checkpoint); O(events) without a checkpoint.
    /// - Throws: `StoreError` if the log cannot be read.
    public func info(
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> StoreInfo {
        let (description, projections, problem) = checkpointContent()
        // The writer may have appended events and written the checkpoint since the last look.
        if description?.position.sequence ?? 0 > sequence.rawValue { _ = try refresh() }
        let statistics = log.statistics ?? LogStatistics()
        let start = clock.nowMicroseconds()
        let state = try state(
            after: sequence, from: indexed(empty, as: description?.layout), progress)
        let microseconds = openingMicroseconds + clock.nowMicroseconds() - start
        let position = description?.position
        let runs = try StoreError.wrap { try RunName.list(on: disk) }.filter { $0.kind == .run }
        return StoreInfo(
            sequence: sequence, entities: state.recordCounts,
            firstSequence: firstSequence,
            // Only the first event may be damaged.
            firstTime: (try? event(firstSequence))?.time,
            lastTime: sequence == .zero ? nil : state.time, logBytes: statistics.fileBytes,
            floorBytes: statistics.floorBytes, rawBytes: statistics.contentBytes,
            segmentCount: statistics.segmentCount,
            sealedSegmentCount: statistics.sealedSegmentCount,
            historyBytes: try runs.reduce(0) { sum, name in
                try sum + (StoreError.wrap { try disk.status(of: name.path)?.sizeBytes } ?? 0)
            },
            historySequence: runs.map(\.sequences.upperBound).max().map {
                SequenceNumber(rawValue: $0)
            },
            checkpointSequence: position.map { SequenceNumber(rawValue: $0.sequence) },
            checkpointProblem: problem,
            projections: projections,
            subscriptions: try subscriptions(),
            lostEvents: position.flatMap { lostEvents(before: $0) },
            openingMilliseconds: OpeningCost.milliseconds(measured: microseconds),
            scrub: ScrubState(on: disk).map { ScrubReport($0) })
    }

    /// What the checkpoint says of itself, or why it cannot be used; neither if there is none.
    private func checkpointContent() -> (CheckpointDescription?, [ProjectionInfo], String?) {
        do {
            guard let checkpoint = try checkpoint(), let description = try checkpoint.description()
            else { return (nil, [], nil) }
            guard isOwn(description.position) else { return (description, [], "of another store") }
            return (description, try checkpoint.projections().map { ProjectionInfo($0) }, nil)
        } catch let error as CheckpointError {
            return (nil, [], error.summary)
        } catch {
            return (nil, [], "cannot be read: \(error)")
        }
    }

    private func subscriptions() throws -> NamedValues<SubscriptionPosition?> {
        let files = PositionFiles(on: disk)
        var positions = NamedValues<SubscriptionPosition?>()
        for name in try files.names() {
            do {
                guard let position = try files.position(of: name) else { continue }
                positions.updateValue(position, forKey: name)
            } catch let error as StoreError where error.code == .positionMissing {
                positions.updateValue(nil, forKey: name)
            }
        }
        return positions
    }

    /// The empty state with the indexes that a checkpoint names, unless the archive has types.
    func indexed(_ empty: Snapshot, as layout: TableLayout?) -> Snapshot {
        guard !empty.isTyped, let layout else { return empty }
        var indexed = empty
        indexed.tables = layout.entities.map { entity in
            Table(
                entity: entity.name, type: nil, hashSeed: empty.hashSeed,
                indexes: entity.indexes.map { IndexDefinition(fields: $0, isUnique: false) })
        }
        return indexed
    }
}
