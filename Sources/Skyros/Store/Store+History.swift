import SkyrosLog

extension Store {
    /// The whole state at a moment of the past, as a value.
    ///
    ///     let then = try store.snapshot(asOf: .date(yesterday))
    ///     let old = try then.get(Order.self, id)
    ///
    /// It is the whole state, and independent of the store: ``past(asOf:)`` gives one that reads
    /// what is asked for.
    ///
    /// - Complexity: O(events since the moment, times log n), if they are fewer than a sixth of the
    ///   events before and of the records, and none of them deletes all records of an entity or
    ///   records a shape; otherwise O(changes up to the moment). O(1) if nothing was written since.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.belowFloor` if
    ///   the history of then was pruned, `.logCorrupt` and the like if the log is damaged.
    public func snapshot(asOf moment: Moment) throws -> Snapshot {
        let current = view.current
        if Self.isNewest(moment, current) { return current }
        return try historyReader.snapshot(asOf: moment, from: current)
    }

    /// Whether a moment is that of the newest state, or later by its date.
    private static func isNewest(_ moment: Moment, _ current: Snapshot) -> Bool {
        switch moment {
        case .sequence(let sequence): sequence == current.sequence
        case .date(let date): EventTime(date) >= current.time
        }
    }

    /// The state at a moment of the past, of which only what is asked for is read.
    ///
    ///     let then = try store.past(asOf: .date(lastYear))
    ///     let old = try then.get(Order.self, id)
    ///
    /// - Complexity: O(1), or for a date O(log n) parts of the log, whatever the moment is; see
    ///   ``PastState`` for its reads.
    /// - Throws: as ``snapshot(asOf:)``.
    public func past(asOf moment: Moment) throws -> PastState {
        let (session, current) = (session, view.current)
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        let isNewest = Self.isNewest(moment, current)
        let sequence = try isNewest ? current.sequence : reader.sequence(of: moment)
        return PastState(sequence, reader, session.history, current)
    }

    /// The records that differ between two moments, by entity and id.
    ///
    ///     for difference in try store.diff(from: .date(yesterday), to: .date(.now)) {
    ///         print(difference.kind, difference.entity, difference.id, try difference.changes)
    ///     }
    ///
    /// The second moment may be the earlier one.
    ///
    /// - Parameters:
    ///   - first: the moment whose records are the former ones.
    ///   - second: the moment whose records are the later ones.
    ///   - entity: nil for the records of all entities.
    /// - Complexity: O(events between the moments + r · log n) for the r records that they change,
    ///   and O(events) of the newest part of the log, about 1 MiB, when it was not read for such a
    ///   question before, if that is less than states cost: ``snapshot(asOf:)`` for the first
    ///   moment, O(events between the two) for the second, and `Snapshot.differences(from:in:)`.
    /// - Throws: as ``snapshot(asOf:)``.
    public func diff(
        from first: Moment, to second: Moment, in entity: String? = nil
    ) throws -> [RecordDifference] {
        let (session, current) = (session, view.current)
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        func sequence(of moment: Moment) throws -> SequenceNumber {
            try Self.isNewest(moment, current) ? current.sequence : reader.sequence(of: moment)
        }
        let (before, after) = try (sequence(of: first), sequence(of: second))
        if let index = session.history,
            let list = try? reader.differences(
                from: before, to: after, in: entity, index,
                costOfStates: reader.cost(of: Swift.min(before, after), from: current))
        {
            return list
        }
        let former =
            before == current.sequence
            ? current : try reader.snapshot(asOf: .sequence(before), from: current)
        if after == current.sequence { return current.differences(from: former, in: entity) }
        let later =
            try reader.near(after, from: former)
            ?? reader.snapshot(asOf: .sequence(after), from: current)
        return later.differences(from: former, in: entity)
    }

    /// One record at a moment of the past; nil if there was none.
    ///
    ///     let old = try store.get(Order.self, id, asOf: .date(yesterday))
    ///
    /// - Complexity: O(log n) for each run of the history, without the rest of the state, and as
    ///   ``history(of:_:shape:)`` for the newest part of the log. With
    ///   `Options.historyIndex = .scan`, that of ``snapshot(asOf:)``.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.belowFloor` if
    ///   the history of then was pruned, `.unknownEntity` if the store was opened without the type,
    ///   `.notDecodable`, `.logCorrupt` and the like if the log is damaged.
    public func get<E: Entity>(_ type: E.Type, _ id: E.ID, asOf moment: Moment) throws -> E? {
        let (session, current) = (session, view.current)
        guard let index = session.history else { return try snapshot(asOf: moment).get(type, id) }
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        _ = try current.tableIndex(of: type)
        let sequence = try reader.sequence(of: moment)
        let id = try RecordCoding.id(id, of: type)
        return try reader.row(of: E.entityName, id, asOf: sequence, in: index)?.value(as: type)
    }

    /// The changes of one record: who made them, when, why, and the values before and after.
    ///
    ///     for entry in try store.history(of: Order.self, id) {
    ///         try print(entry.sequence, entry.time, entry.actor ?? "-", entry.changes)
    ///     }
    ///
    /// - Parameters:
    ///   - type: the type of the record.
    ///   - id: its id; of a record that was deleted, too.
    ///   - shape: the shape of the records in the entries.
    /// - Returns: one entry for each event, oldest first; none if the record never existed. If the
    ///   history was pruned, that of a record which was there then begins with an entry of the kind
    ///   ``HistoryEntry/Kind-swift.enum/kept``.
    /// - Complexity: O(entries), and O(events) of the newest part of the log, about 1 MiB, when it
    ///   was not read for such a question before. With `Options.historyIndex = .scan`, O(events in
    ///   the log).
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened without the type,
    ///   `.logCorrupt` and the like if the log is damaged, `.evolutionFailed` if a step to the
    ///   newest shape fails.
    public func history<E: Entity>(
        of type: E.Type, _ id: E.ID, shape: HistoryShape = .stored
    ) throws -> [HistoryEntry] {
        _ = try snapshot.tableIndex(of: type)
        let id = try RecordCoding.id(id, of: type)
        let session = session
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        let stored =
            if let index = session.history {
                try reader.history(of: E.entityName, id, in: index)
            } else {
                try reader.history(of: E.entityName, id)
            }
        return shape == .newest ? try stored.evolved(for: type) : stored
    }

    /// Which event gave each field of a record the value that it has: who set it, when and why.
    ///
    ///     for origin in try store.blame(of: Order.self, id) {
    ///         print(origin.field, origin.value, origin.entry.actor ?? "-")
    ///     }
    ///
    /// Of a deleted record it lists the fields that it had last.
    ///
    /// - Parameters:
    ///   - type: the type of the record.
    ///   - id: its id; of a record that was deleted, too.
    ///   - shape: which fields: those that are stored, of which each step of the type's evolution
    ///     has set some when the record was next written; or those of today, each with the event
    ///     that changed it last, under whichever name.
    /// - Returns: one origin for each field, in the order of the fields' names; none if the record
    ///   never existed.
    /// - Throws: and complexity: as ``history(of:_:shape:)``.
    public func blame<E: Entity>(
        of type: E.Type, _ id: E.ID, shape: HistoryShape = .stored
    ) throws -> [FieldOrigin] {
        try FieldOrigin.list(of: history(of: type, id, shape: shape))
    }

    var historyReader: HistoryReader {
        let session = session
        return HistoryReader(log: session.engine, empty: session.empty)
    }
}
