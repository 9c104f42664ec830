extension Archive {
    /// What an undo of events would do to the newest state, without the types.
    ///
    ///     let plan = try archive.undoPlan(of: .correlation("import-7"))
    ///
    /// - Parameters:
    ///   - target: the events.
    ///   - resolution: what to do about records that are not as the events left them.
    ///   - progress: called now and then with the number of records and events read, and that of
    ///     all.
    /// - Throws: as `Store.undoPlan`, and as ``newestSnapshot(progress:)``.
    /// - Complexity: O(records + events after the checkpoint), and that of the undo.
    public func undoPlan(
        of target: UndoTarget, resolving resolution: UndoResolution = .refuse,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> UndoPlan {
        var state = try newestSnapshot(progress: progress)
        try state.adoptRecordedSchemas()
        return try UndoPlanner(historyReader, historyIndex, state).plan(
            target, resolution, Store.Options())
    }
}
