/// The shape in which the records of a history are shown.
///
///     let changes = try store.history(of: Order.self, id, shape: .newest)
public enum HistoryShape: Hashable, Sendable {
    /// As they were stored, under the names that their fields had then.
    case stored
    /// Today's: the steps of the type's evolution are applied to older records. So a step is no
    /// change. A field that a step adds or computes is there from the insertion on, as if that had
    /// set it. A record whose id got another type begins with the event that gave it that id.
    /// Records that a newer version of the app has stored stay as they are.
    case newest
}

extension [HistoryEntry] {
    /// The entries with records in today's shape of a type.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func evolved<E: Entity>(for type: E.Type) throws -> [HistoryEntry] {
        guard let evolver = type.evolution.evolver else { return self }
        return try evolved { try $0.evolved(by: evolver) }
    }

    /// The entries with other records. O(entries).
    func evolved(_ evolve: (HistoryRow) throws -> HistoryRow) throws -> [HistoryEntry] {
        // The record before a change is as a rule the one after the change before it.
        var last: (stored: HistoryRow, evolved: HistoryRow)?
        func evolved(_ row: HistoryRow?) throws -> HistoryRow? {
            guard let row else { return nil }
            if let last, last.stored == row { return last.evolved }
            let next = try evolve(row)
            last = (row, next)
            return next
        }
        return try map { entry in
            HistoryEntry(
                kind: entry.kind, sequence: entry.sequence, time: entry.time,
                metadata: entry.metadata, intent: entry.intent,
                rowBefore: try evolved(entry.rowBefore), rowAfter: try evolved(entry.rowAfter))
        }
    }
}

extension HistoryRow {
    /// The record after the steps to a newer shape.
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`.
    func evolved(by evolver: Evolver) throws -> HistoryRow {
        if version >= evolver.version { return self }
        return HistoryRow(
            entity: entity, id: id,
            bytes: try evolver.evolve(bytes, from: version, entity, id),
            version: evolver.version, storedVersion: storedVersion)
    }
}
