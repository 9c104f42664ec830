import SkyrosLog

extension Store {
    /// The whole state at a moment of the past, as a value.
    ///
    ///     let then = try store.snapshot(asOf: .date(yesterday))
    ///     let old = try then.get(Order.self, id)
    ///
    /// - Complexity: O(events since the moment, times log n) for the last 50,000 events, unless all
    ///   records of an entity were deleted since; otherwise O(events up to the moment). O(1) if
    ///   nothing was written since.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.logCorrupt` and
    ///   the like if the log is damaged.
    public func snapshot(asOf moment: Moment) throws -> Snapshot {
        let current = view.current
        switch moment {
        case .sequence(let sequence) where sequence == current.sequence: return current
        case .date(let date) where EventTime(date) >= current.time: return current
        default: return try historyReader.snapshot(asOf: moment, from: current)
        }
    }

    /// The changes of one record: who made them, when, why, and the values before and after.
    ///
    ///     for entry in try store.history(of: Order.self, id) {
    ///         print(entry.sequence, entry.time, entry.actor ?? "-", entry.changes)
    ///     }
    ///
    /// - Returns: one entry for each event, oldest first; none if the record never existed.
    /// - Complexity: O(events in the log).
    /// - Throws: `StoreError` with `.unknownEntity` if the store was opened without the type,
    ///   `.logCorrupt` and the like if the log is damaged.
    public func history<E: Entity>(of type: E.Type, _ id: E.ID) throws -> [HistoryEntry] {
        _ = try snapshot.tableIndex(of: type)
        return try historyReader.history(of: E.entityName, RecordCoding.id(id, of: type))
    }

    var historyReader: HistoryReader {
        let engine = session.engine
        let empty = Snapshot(
            resources.schema, beginning: engine.beginning, hashSeed: view.current.hashSeed)
        return HistoryReader(log: engine, empty: empty)
    }
}
