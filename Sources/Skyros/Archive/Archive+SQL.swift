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
        var (stored, collector): (Snapshot, LayoutCollector)
        if let moment {
            (stored, collector) = try past(moment, progress)
        } else {
            let (state, layout) = try newest(progress)
            (stored, collector) = (state, LayoutCollector(layout))
        }
        let evolved = try EvolvedState(stored)
        try collector.note(evolved)
        let wholeLayout = { [self] in
            var whole = try self.collector(through: evolved.state.sequence)
            try whole.note(evolved)
            return whole.layout
        }
        let database = SnapshotDatabase(
            evolved.state, collector.layout, log: log,
            wholeLayout: moment == nil ? wholeLayout : nil)
        return (database, evolved)
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
        let (state, collector) = try past(moment, progress)
        return SnapshotDatabase(state, collector.layout, log: log)
    }

    /// The state at a moment, with the tables and columns of the log up to it.
    private func past(
        _ moment: Moment, _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> (Snapshot, LayoutCollector) {
        var total = Int(clamping: sequence.rawValue)
        if case .sequence(let last) = moment { total = Int(clamping: last.rawValue) }
        return try LayoutCollector.collecting {
            try log.whileFloorStays {
                var collector = LayoutCollector()
                try collector.note(floorOf: log)
                let state = try historyReader.snapshot(
                    asOf: moment,
                    visiting: { event in
                        try collector.note(event)
                        progress(Int(clamping: event.sequence.rawValue), total)
                    })
                return (state, collector)
            }
        }
    }
}
