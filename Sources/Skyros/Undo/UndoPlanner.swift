import SkyrosLog

/// Plans undos on the states of a log.
struct UndoPlanner {
    let reader: UndoReader

    private var log: any LogReader { reader.reader.log }

    /// - Parameters:
    ///   - history: reads the log.
    ///   - index: finds the versions of records; nil if the log is read for them.
    ///   - newest: a state of the log: events after it are not undone.
    init(_ history: HistoryReader, _ index: HistoryIndex?, _ newest: Snapshot) {
        reader = UndoReader(reader: history, index: index, newest: newest)
    }

    /// The events of a target, in ascending ranges with gaps between them.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent`, also if no event has the correlation;
    ///   `.belowFloor` if some of those that had it were pruned; `.nothingToUndo` for an empty list
    ///   of events.
    func ranges(of target: UndoTarget) throws -> [ClosedRange<SequenceNumber>] {
        switch target.selection {
        case .ranges(let ranges):
            if !ranges.isEmpty { return ranges }
            throw StoreError(.nothingToUndo, "there is nothing to undo: no event was named")
        case .correlation(let correlation):
            let first = EventReader(log).first
            if let floor = log.floor,
                try FloorState(floor).correlations.contains(where: {
                    $0.isSameName(as: correlation)
                })
            {
                throw StoreError.belowFloor(
                    "some events with the correlation \"\(correlation)\" are not kept", first)
            }
            let events = try EventSelection(reader: reader.reader, index: reader.index).events(
                withCorrelation: correlation, from: first, through: reader.newest.sequence)
            if !events.isEmpty { return events.ranges }
            let range = first > 1 ? " from event \(first) on, where the log begins" : ""
            throw StoreError(
                .noSuchEvent,
                "there is no event with the correlation \"\(correlation)\"\(range)")
        }
    }

    /// Whether events of a target were written after the newest state that the planner knows.
    func misses(_ target: UndoTarget, before state: Snapshot) throws -> Bool {
        guard case .correlation(let correlation) = target.selection else { return false }
        // These are few, and the writer lock is held: the log is read.
        return try !EventSelection(reader: reader.reader, index: nil).events(
            withCorrelation: correlation, from: reader.newest.sequence.next,
            through: state.sequence
        ).isEmpty
    }

    /// The plan for the newest state.
    ///
    /// - Parameter options: those of the store, for the limit of an event.
    /// - Throws: what `Store.undo` throws, but for `.conflict`.
    func plan(
        _ target: UndoTarget, _ resolution: UndoResolution, _ options: Store.Options
    ) throws -> UndoPlan {
        let past = try reader.past(ranges(of: target))
        let state = reader.newest
        let decisions = try UndoDecisions(past, on: state, resolution)
        let isRefused = !decisions.open.isEmpty
        let changes =
            isRefused
            ? decisions.differences : try Self.differences(of: decisions, on: state, options)
        return UndoPlan(
            events: past.ranges, sequence: state.sequence, changes: changes,
            conflicts: try withEvents(
                isRefused ? decisions.open : decisions.decided, past, through: state.sequence),
            isRefused: isRefused,
            needsReason: changes.contains { state.requiresReason(toChange: $0.entity) })
    }

    /// What an event with these decisions would change.
    ///
    /// - Throws: what the write of that event would throw.
    private static func differences(
        of decisions: UndoDecisions, on state: Snapshot, _ options: Store.Options
    ) throws -> [RecordDifference] {
        let rehearsal = try Rehearsal(on: state, Metadata(reason: "undo"), options)
        let writes = decisions.writes
        try rehearsal.write { tx in try tx.overlay.restore(writes) }
        return rehearsal.state.differences(from: state)
    }

    // MARK: The events in the way

    /// Up to this number of conflicts their events are looked up record by record.
    private static let lookUpMax = 1_000

    /// The conflicts with the other events that have changed their records.
    ///
    /// - Complexity: O(versions of the records), or O(events since the first undone one).
    func withEvents(
        _ conflicts: [UndoConflict], _ past: UndonePast, through last: SequenceNumber
    ) throws -> [UndoConflict] {
        let keys = Set(conflicts.map { HistoryKey($0.entity, $0.id) })
        let records = past.records.filter { keys.contains($0.key) }
        guard let first = records.map(\.start).min() else { return [] }
        let versions = try versions(of: keys, from: first, through: last)
        var events: [HistoryKey: [SequenceNumber]] = [:]
        for record in records {
            let clearings = versions[HistoryKey(entity: record.key.entity, id: nil)] ?? []
            events[record.key] = Self.changes(
                (versions[record.key] ?? []) + clearings, of: record, besides: past.ranges)
        }
        return conflicts.sorted { HistoryKey($0.entity, $0.id) < HistoryKey($1.entity, $1.id) }
            .map { conflict in
                var conflict = conflict
                conflict.events = events[HistoryKey(conflict.entity, conflict.id)] ?? []
                return conflict
            }
    }

    /// The events of these versions that have changed a record since the first undone range did,
    /// without the undone ones. A clearing changes it if it exists.
    private static func changes(
        _ versions: [RecordVersion], of record: UndonePast.UndoneRecord,
        besides ranges: [ClosedRange<SequenceNumber>]
    ) -> [SequenceNumber] {
        var exists = record.before != nil
        var events: [SequenceNumber] = []
        let since = versions.filter { $0.sequence >= record.start }
        for version in since.sorted(by: { $0.precedes($1) }) {
            if version.kind == .cleared, !exists { continue }
            exists = version.kind == .inserted || version.kind == .updated
            let isUndone = ranges.contains { $0.contains(version.sequence) }
            if !isUndone, events.last != version.sequence { events.append(version.sequence) }
        }
        return events
    }

    /// The versions of records, and the clearings of their entities, in a part of the log.
    private func versions(
        of keys: Set<HistoryKey>, from first: SequenceNumber, through last: SequenceNumber
    ) throws -> [HistoryKey: [RecordVersion]] {
        let all = keys.union(keys.map { HistoryKey(entity: $0.entity, id: nil) })
        var found: [HistoryKey: [RecordVersion]] = [:]
        if let index = reader.index, keys.count <= Self.lookUpMax {
            for key in all {
                found[key] = try index.versions(of: key, through: last)
                    .filter { $0.sequence >= first }
            }
            return found
        }
        try EventReader(log).forEach(from: first, through: last) { event, _ in
            for (key, version) in RecordVersion.list(of: event) where all.contains(key) {
                found[key, default: []].append(version)
            }
            return true
        }
        return found
    }
}

extension UndoDecisions {
    /// The records that go back, by entity and id.
    fileprivate var differences: [RecordDifference] {
        restorations.keys.sorted().compactMap { key in
            restorations[key].map { RecordDifference(key, from: $0.found, to: $0.restored) }
        }
    }
}

extension RecordDifference {
    fileprivate init(_ key: HistoryKey, from old: Table.Shape?, to new: Table.Shape?) {
        let entity = String(decoding: key.entity, as: UTF8.self)
        func row(_ shape: Table.Shape?) -> HistoryRow? {
            shape.map {
                HistoryRow(
                    entity: entity, id: RecordID(key), bytes: $0.bytes, version: $0.version)
            }
        }
        self.init(
            rowBefore: row(old), rowAfter: row(new), entity: entity, id: RecordID(key))
    }
}
