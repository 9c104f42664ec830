import SkyrosLog

extension Archive {
    /// Runs a SQL query over the records and the events at a moment.
    ///
    ///     try archive.query("SELECT actor, count(*) FROM _events GROUP BY actor")
    ///
    /// There is one table an entity, with the columns of the checkpoint, and dates as text in
    /// ISO 8601; every table and column that the log ever held up to the moment. `_events` and
    /// `_changes` are the log. docs/sql.md describes them.
    ///
    /// - Parameters:
    ///   - sql: one statement that reads only.
    ///   - moment: nil for the newest state, which is read from the checkpoint.
    /// - Throws: `StoreError` with `.invalidInput` if the text is no such statement, with the names
    ///   of the tables and columns if it misses one; as `snapshot(asOf:)`.
    public func query(_ sql: String, asOf moment: Moment? = nil) throws -> SQLResult {
        try SQLResult(of: sql, in: database(asOf: moment))
    }

    /// The state at a moment as a database.
    ///
    /// - Parameter isEvolving: whether the steps that the log has recorded are applied, as far as
    ///   they need no closure.
    package func database(
        asOf moment: Moment?, isEvolving: Bool, progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> (SnapshotDatabase, EvolvedState?) {
        guard isEvolving else { return (try database(asOf: moment, progress: progress), nil) }
        var collector: LayoutCollector
        let stored: Snapshot
        if let moment {
            var noted = LayoutCollector()
            stored = try historyReader.snapshot(asOf: moment, visiting: { try noted.note($0) })
            collector = noted
        } else {
            let (state, layout) = try newest(progress)
            (stored, collector) = (state, LayoutCollector(layout))
        }
        let evolved = try EvolvedState(stored)
        for (entity, schema) in stored.schemas where schema.version > Evolver.firstVersion {
            try evolved.state.forEachRecord(entity) { record in
                try collector.note(record.fields.bytes, of: entity)
            }
        }
        return (SnapshotDatabase(evolved.state, collector.layout, log: log), evolved)
    }

    /// The state at a moment as a database, with the records as they are stored.
    package func database(
        asOf moment: Moment?, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> SnapshotDatabase {
        guard let moment else {
            let (state, layout) = try newest(progress)
            return SnapshotDatabase(state, layout, log: log) { [self] in
                try self.layout(through: state.sequence)
            }
        }
        var total = Int(clamping: sequence.rawValue)
        if case .sequence(let last) = moment { total = Int(clamping: last.rawValue) }
        var collector = LayoutCollector()
        let state = try historyReader.snapshot(
            asOf: moment,
            visiting: { event in
                try collector.note(event)
                progress(Int(clamping: event.sequence.rawValue), total)
            })
        return SnapshotDatabase(state, collector.layout, log: log)
    }
}
