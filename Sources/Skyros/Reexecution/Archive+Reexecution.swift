extension Archive {
    /// Executes the commands of the log again, with today's code, each on the state before its
    /// event, and compares what they do with what they did.
    ///
    ///     let archive = try Archive(at: url, entities: [Account.self])
    ///     let found = try archive.reexecute([Transfer.self, OpenAccount.self])
    ///     print(found)        // 3 of 2100000 commands do something else today. The first: …
    ///
    /// A command gets the time of its event from ``WriteTransaction/now`` and its recorded ids from
    /// ``WriteTransaction/newID()``. The states are those of the log, whatever the commands do
    /// today; so each difference is that of one command. Nothing is written, and hooks and required
    /// reasons are left out. Commands run on the calling thread, in the order of the log.
    ///
    /// A command that differs is executed three more times. One that does not do the same each time
    /// uses an input that the store does not record, and is named in
    /// ``Reexecution/nondeterministicCommands``. That does not find an input that stays the same
    /// meanwhile, such as today's date or the order of a `Set` in one process.
    ///
    /// Records are compared as today's types would write them, and those of entities without a type
    /// are held to the unique indexes and relations that the log has recorded. Give the archive the
    /// types of all entities that commands use.
    ///
    /// - Parameters:
    ///   - commands: the types of the commands. Others in the log are counted only.
    ///   - first: the event after which to begin; nil for the first that the log keeps.
    ///   - last: the last event; nil for that of the log.
    ///   - differencesMax: the number of differences to list; all are counted.
    ///   - progress: called after each event; what it throws ends the run.
    /// - Complexity: O(events up to the last one), and that of the commands.
    /// - Throws: what `progress` throws; `StoreError` with `.invalidInput` if two commands have the
    ///   same name; `.belowFloor`, `.noSuchEvent`, and for a damaged log `.logCorrupt` and the
    ///   like. What commands throw is in the result.
    public func reexecute(
        _ commands: [any Command.Type], after first: SequenceNumber? = nil,
        through last: SequenceNumber? = nil, differencesMax: Int = 100,
        progress: (SequenceNumber) throws -> Void = { _ in }
    ) throws -> Reexecution {
        let types = try CommandTypes(commands)
        let (first, last) = try range(after: first, through: last)
        var state = try state(after: first, from: empty)
        try state.prepareForCommands()
        var run = ReexecutionRun(types, empty: empty, differencesMax: differencesMax)
        try EventReader(log).forEach(from: first.next, through: last) { event, chainHash in
            try run.pass(event, chainHash: chainHash, &state)
            try progress(event.sequence)
            return true
        }
        return run.result
    }
}
