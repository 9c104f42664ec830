extension WhatIfOutcome {
    /// Runs a SQL query over the records at the end of the other course, as `Snapshot.query`. Its
    /// tables have the columns of both courses.
    ///
    ///     let outcome = try WhatIf(in: archive, commands: [Transfer.self])
    ///         .starting(after: 1).run()
    ///     #expect(try outcome.query("SELECT id FROM Account WHERE cents < 0").rows.isEmpty)
    ///
    /// - Complexity: O(records of both), and the query.
    /// - Throws: as `Snapshot.query`.
    public func query(_ sql: String) throws -> SQLResult {
        var collector = LayoutCollector()
        try actual.note(in: &collector)
        try state.note(in: &collector)
        return try SQLResult(of: sql, in: SnapshotDatabase(state, collector.layout, log: nil))
    }
}
