import SkyrosDisk
import SkyrosLog

/// Prunes the history of a store: puts a floor in the place of its oldest events.
///
/// 1. The state after the last event that goes is folded from the log.
/// 2. A floor with it is written, synced, read again and compared, and gets its name, durably.
/// 3. The log takes the floor; runs of the history that begin below it are removed.
/// 4. The segments below it are removed, the oldest first.
///
/// The floor is a part of the log: what a checkpoint holds is of no account. After a crash the next
/// opening finds the log as it was, or with the floor, and then removes what is left below it.
struct Pruner {
    let log: any LogEngine
    let segments: any SegmentedLog
    let history: HistoryIndex?
    let window: KeyWindow
    let clock: any WallClock

    /// The last place where the log may be pruned so that all events before it are earlier than
    /// `time`, and than the first that is needed; nil if there is none.
    func border(before time: EventTime, _ firstNeeded: SequenceNumber?) -> LogBorder? {
        segments.borders.last { border in
            border.timeBefore < time.microseconds
                && border.firstSequence <= firstNeeded?.rawValue ?? .max
        }
    }

    /// Prunes the log, whose segments before the border are sealed and durable.
    ///
    /// - Parameter projections: their values before the border.
    /// - Throws: `StoreError`. Nothing was removed, or the next opening removes the rest.
    func prune(
        to border: LogBorder, _ projections: [StoredProjection], _ actor: String?,
        _ reason: String?
    ) throws -> PruneReport {
        let first = SequenceNumber(rawValue: log.firstSequence)
        let builder = try builder(through: border.firstSequence - 1, projections, actor, reason)
        let floor = try segments.makeFloor(below: border.firstSequence) { writer in
            try builder.write(to: &writer)
        } check: { file throws(LogError) in
            try builder.check(file)
        }
        let pruning = try segments.prune(to: floor) { history?.forgetPruned() }
        let description = try FloorState(floor).description
        return PruneReport(
            floor: description, events: first...description.sequence,
            removedBytes: pruning.byteCount, floorBytes: floor.byteCount)
    }

    private func builder(
        through last: UInt64, _ projections: [StoredProjection], _ actor: String?, _ reason: String?
    ) throws -> FloorBuilder {
        var state = Snapshot(.untyped, beginning: log.beginning, hashSeed: 0)
        var dirty = DirtyRows()
        var keys = KeyTable()
        var stamps = RecordStamps()
        var head = FloorHead()
        var correlations = CutCorrelations([])
        if let floor = try log.floor.map({ try FloorState($0) }) {
            keys = floor.keys
            head.happenedUntil = floor.happenedUntil
            correlations = CutCorrelations(floor.correlations)
            try state.fold { state in
                state = try floor.state(into: state, marking: &dirty) { row, table, version in
                    stamps.note(row, inTable: table, version.sequence, version.time)
                }
            }
        }
        let first = state.sequence.next
        var times: [EventTime] = []
        try state.fold { state in
            let last = SequenceNumber(rawValue: last)
            try HistoryReader.fold(log, through: last, into: &state, marking: &dirty) { event in
                window.note(event, in: &keys)
                times.append(event.time)
                correlations.note(event)
                // The state in another order than that of the log is not known from now on.
                let isLater = head.happenedUntil <= event.happenedAt
                head.happenedUntil = isLater ? event.happenedAt : EventTime(microseconds: .max)
                return true
            }
        }
        for (table, rows) in dirty.tables.enumerated() {
            for mark in rows?.newestMarks ?? [] where mark.sequence >= first {
                stamps.note(
                    mark.number, inTable: table, mark.sequence,
                    times[first.distance(to: mark.sequence)])
            }
        }
        keys.drop(before: window.start(at: state.time))
        head.prunedAt = EventTime(microseconds: clock.nowMicroseconds())
        (head.actor, head.reason) = (actor, reason)
        head.projections = projections
        head.correlations = try correlations.list(keptFrom: state.sequence.next, in: log)
        (head.keys, head.keyBound) = (Array(keys.events), keys.bound)
        return try FloorBuilder(head, state, stamps)
    }
}

/// What pruning a store has done.
public struct PruneReport: Hashable, Sendable {
    /// What is kept of the history that went.
    public let floor: Floor
    /// The events that went.
    public let events: ClosedRange<SequenceNumber>
    /// Bytes of their files.
    public let removedBytes: Int
    /// Bytes of the floor.
    public let floorBytes: Int
}
