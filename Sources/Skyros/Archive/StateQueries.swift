import SkyrosLog

/// SQL on several states of one log. All have the tables and columns that the log ever held, and
/// records in the newest shape that it has recorded, so that a query which fits one fits all.
package struct StateQueries {
    private let archive: Archive
    private var collector: LayoutCollector
    /// The last event whose records are in the layout.
    private var last: SequenceNumber

    /// Finds the tables and columns of the log. O(events).
    ///
    /// - Parameters:
    ///   - last: the last event to read; nil for that of the log.
    ///   - progress: called after each event.
    /// - Throws: as `Archive.tables(through:progress:)`.
    package init(
        of archive: Archive, through last: SequenceNumber? = nil,
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws {
        self.archive = archive
        self.last = last ?? archive.sequence
        collector = try archive.collector(through: self.last, progress: progress)
    }

    /// Adds the tables and columns of the events that the archive has read since. O(new events).
    package mutating func refresh() throws {
        let end = archive.sequence
        guard last < end else { return }
        collector = try archive.log.whileFloorStays {
            try archive.collector(collector, after: last, through: end)
        }
        last = end
    }

    /// Runs a query where there are no records.
    ///
    /// - Parameter hasLog: whether the log has tables, too.
    /// - Throws: `StoreError` with `.invalidInput` if it does not fit the states.
    package func check(_ sql: String, withLog hasLog: Bool = true) throws {
        // A column may be known only to the records of states.
        guard !isEvolving else { return }
        try SnapshotDatabase(archive.empty, collector.layout, log: hasLog ? archive.log : nil)
            .run(sql, { _ in }, { _ in })
    }

    private var isEvolving: Bool {
        collector.schemas.contains { $0.value.version > Evolver.firstVersion }
    }

    /// A state as a database, as far as the steps of an evolution need no closure of the app.
    ///
    /// - Parameter hasLog: whether the log has tables, too.
    /// - Complexity: O(records of entities that evolve).
    package func database(
        of stored: Snapshot, withLog hasLog: Bool = true
    ) throws -> (database: SnapshotDatabase, evolved: EvolvedState) {
        var stored = stored
        collector.schemas.forEach { stored.schemas[$0.key] = $0.value }
        let evolved = try EvolvedState(stored)
        var collector = collector
        try collector.note(evolved)
        let log = hasLog ? archive.log : nil
        let database = SnapshotDatabase(evolved.state, collector.layout, log: log)
        return (database, evolved)
    }
}
