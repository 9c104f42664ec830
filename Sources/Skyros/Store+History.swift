import SkyrosLog

extension Store {
    /// The whole state at a moment of the past, as a value.
    ///
    ///     let then = try store.snapshot(asOf: .date(yesterday))
    ///     let old = try then.get(Order.self, id)
    ///
    /// - Complexity: O(events up to the moment); O(1) if nothing was written since.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet.
    public func snapshot(asOf moment: Moment) throws -> Snapshot {
        let current = view.current
        switch moment {
        case .sequence(let sequence) where sequence == current.sequence: return current
        case .date(let date) where EventTime(date) >= current.time: return current
        default: return try past.snapshot(asOf: moment)
        }
    }

    /// The life of one record: who changed it, when, why, and what was before and after.
    ///
    ///     for entry in try store.history(of: Order.self, id) {
    ///         print(entry.sequence, entry.time, entry.actor ?? "-", entry.changes)
    ///     }
    ///
    /// - Returns: one entry an event, oldest first; none if the record never was.
    /// - Complexity: O(events in the log).
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func history<E: Entity>(of type: E.Type, _ id: E.ID) throws -> [HistoryEntry] {
        try past.history(of: E.entityName, RecordCoding.id(id, of: type))
    }

    /// The event with this sequence, or nil. It reads the part of the log around it.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    public func event(_ sequence: SequenceNumber) throws -> Event? {
        try EventReader(log.engine).event(sequence)
    }

    /// Calls `body` with the events from `first` through `last`, in order, until it returns
    /// false. Without `last` it ends with what is the last event now.
    ///
    /// The block runs on the calling thread, and nobody waits for it.
    ///
    /// - Throws: what `body` throws; `StoreError` with `.logCorrupt` and the like if the log is
    ///   damaged.
    public func forEachEvent(
        from first: SequenceNumber = 1, through last: SequenceNumber? = nil,
        _ body: (Event) throws -> Bool
    ) throws {
        let end = last ?? sequence
        try EventReader(log.engine).forEach(from: first, through: end) { event, _ in
            try body(event)
        }
    }

    private var past: HistoryReader {
        let empty = Snapshot(
            parts.schema, beginning: ChainHash(beginning: parts.log.storeID),
            hashSeed: view.current.hashSeed)
        return HistoryReader(log: log.engine, empty: empty)
    }
}
