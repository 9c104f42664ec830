import SkyrosLog

// Answers from the versions that an index of the history gives.

extension HistoryReader {
    /// The changes of one record, oldest first, as `history(of:_:progress:)`.
    ///
    /// - Complexity: O(versions of the record), see `HistoryIndex.versions`.
    func history(
        of entity: String, _ id: RecordID, in index: HistoryIndex
    ) throws -> [HistoryEntry] {
        // Several questions about the same history.
        try log.whileFloorStays { try historyNow(of: entity, id, in: index) }
    }

    private func historyNow(
        of entity: String, _ id: RecordID, in index: HistoryIndex
    ) throws -> [HistoryEntry] {
        // One moment for both questions: other threads may be writing.
        let last = last
        let versions = try index.versions(of: HistoryKey(entity, id), through: last)
        guard !versions.isEmpty else { return [] }
        let clearings = try index.versions(of: HistoryKey(entity, nil), through: last)
        var builder = HistoryBuilder(
            HistoryKey(entity, id), LoggedVersions(EventReader(log)),
            count: versions.count + clearings.count)
        var next = clearings.startIndex
        for version in versions {
            while next < clearings.endIndex, clearings[next].precedes(version) {
                try builder.append(clearings[next])
                next += 1
            }
            try builder.append(version)
        }
        for clearing in clearings[next...] { try builder.append(clearing) }
        return builder.entries
    }

    /// One record as it was after an event, in the shape that it had; nil if there was none.
    ///
    /// - Complexity: see `HistoryIndex.newestVersions`.
    func row(
        of entity: String, _ id: RecordID, asOf sequence: SequenceNumber, in index: HistoryIndex
    ) throws -> HistoryRow? {
        var logged = LoggedVersions(EventReader(log))
        return try row(of: entity, id, asOf: sequence, in: index, reading: &logged)
    }

    /// The same of one of several records, whose versions may be of one event.
    func row(
        of entity: String, _ id: RecordID, asOf sequence: SequenceNumber, in index: HistoryIndex,
        reading logged: inout LoggedVersions
    ) throws -> HistoryRow? {
        let key = HistoryKey(entity, id)
        // Two questions about the same history.
        return try log.whileFloorStays {
            let versions = try index.newestVersions(of: key, through: sequence)
            guard let newest = versions.last, newest.kind != .deleted else { return nil }
            let clearings = try index.newestVersions(of: HistoryKey(entity, nil), through: sequence)
            if let clearing = clearings.last, newest.precedes(clearing) { return nil }
            var builder = HistoryBuilder(key, logged)
            for version in versions { try builder.advance(to: version) }
            logged = builder.logged
            return builder.row
        }
    }

    /// The state after an event with one record only, in the shape that it had; nil if there was
    /// none.
    ///
    /// - Complexity: that of `row(of:_:asOf:in:)`, and of `schemas(asOf:in:)`.
    func state(
        of entity: String, _ id: RecordID, asOf sequence: SequenceNumber, in index: HistoryIndex
    ) throws -> Snapshot? {
        try requireState(sequence)
        guard let row = try row(of: entity, id, asOf: sequence, in: index),
            let stamp = try EventReader(log).stamp(of: sequence), let time = stamp.time
        else { return nil }
        var state = empty
        state.schemas = try schemas(asOf: sequence, in: index)
        let place = state.tableIndex(of: entity)
        let table = state.tables[place]
        try state.tables[place].put(
            table.storedRow(
                id, hash: table.hash(id), number: table.nextNumber, version: row.version,
                bytes: row.bytes), replacing: nil)
        state.move(to: sequence, time: time, rawChainHash: stamp.chainHash.rawValue)
        return state
    }

    /// The state after an event without any records.
    func stateWithoutRecords(asOf sequence: SequenceNumber) throws -> Snapshot {
        guard sequence > .zero, let stamp = try EventReader(log).stamp(of: sequence),
            let time = stamp.time
        else { return empty }
        var state = empty
        state.move(to: sequence, time: time, rawChainHash: stamp.chainHash.rawValue)
        return state
    }

    /// What the log had recorded of the shapes of entities after an event.
    ///
    /// - Complexity: O(events that record shapes), and O(log n) frames of each run.
    func schemas(
        asOf sequence: SequenceNumber, in index: HistoryIndex
    ) throws -> NamedValues<EntitySchema> {
        try log.whileFloorStays {
            var schemas = try index.keptState(through: sequence)?.schemas ?? NamedValues()
            var filter = EventFilter()
            filter.hasSchemas = true
            let search = EventSearch(
                reader: self, index: index, filter: filter, first: EventReader(log).first,
                last: sequence, newestFirst: false)
            var cursor = EventSearch.Cursor(search)
            while let event = try cursor.next() {
                event.schemas.forEach { schemas[$0.key] = $0.value }
            }
            return schemas
        }
    }

    /// The state after an event with the records of one table only: that is typed, and its place
    /// is the one that it has in the newest state.
    ///
    /// - Complexity: O(n log n) for the records of the table, and the frames that have their
    ///   versions.
    /// - Throws: as `snapshot(asOf:)`.
    func part(
        _ current: Snapshot, ofTableAt table: Int, asOf sequence: SequenceNumber,
        in index: HistoryIndex
    ) throws -> Snapshot {
        guard sequence > .zero, let stamp = try EventReader(log).stamp(of: sequence),
            let time = stamp.time
        else { return try snapshot(asOf: .sequence(sequence)) }
        var part = current
        for other in part.tables.indices where other != table { part.tables[other].clear() }
        part.tables[table] = try index.table(current.tables[table], through: sequence)
        part.schemas = try schemas(asOf: sequence, in: index)
        part.move(to: sequence, time: time, rawChainHash: stamp.chainHash.rawValue)
        return part
    }
}
