import SkyrosLog

extension Archive {
    /// The state after the last event, from the store's checkpoint and the events after it.
    ///
    ///     let state = try archive.newestSnapshot()
    ///
    /// Every record of the checkpoint is compared with its digest, and its position with the log.
    /// Without a checkpoint that can be used, the log is replayed from its first event. The
    /// checkpoint is only read, also beside the process that writes it.
    ///
    /// - Parameter progress: called now and then with the number of records and events read, and
    ///   that of all.
    /// - Complexity: O(records + events after the checkpoint).
    /// - Throws: `StoreError` with `.logBehindCheckpoint` or `.chainBroken` if the checkpoint is
    ///   not of this log, `.logCorrupt` and the like if the log is damaged.
    public func newestSnapshot(
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Snapshot {
        try newest(progress).state
    }

    /// The state after the last event, and the tables that its records had so far.
    func newest(
        _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> (state: Snapshot, layout: TableLayout) {
        var state = empty
        var layout = TableLayout()
        try state.fold { state in
            var rowCount = 0
            let loaded = try loadCheckpoint(into: state, progress) {
                max(0, $0.distance(to: sequence))
            }
            if let checkpoint = loaded, try isUsable(checkpoint.state) {
                (state, layout) = checkpoint
                rowCount = layout.rowCount
            }
            let last = sequence
            let first = max(state.sequence, firstSequence.advanced(by: -1))
            let total = rowCount + first.distance(to: last)
            progress(rowCount, total)
            var collector = LayoutCollector(layout)
            if state.sequence == .zero { try collector.note(floorOf: log) }
            var unused = DirtyRows(isRecording: false)
            try HistoryReader.fold(log, through: last, into: &state, marking: &unused) { event in
                try collector.note(event)
                progress(rowCount + first.distance(to: event.sequence), total)
                return true
            }
            layout = collector.layout
        }
        return (state, layout)
    }

    /// The state after an event, from the checkpoint if it is not later, and from the log.
    func state(
        after event: SequenceNumber, from empty: Snapshot,
        _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Snapshot {
        var state = empty
        guard event > .zero else { return state }
        try state.fold { state in
            var rowCount = 0
            let checkpoint = try loadCheckpoint(into: state, progress) {
                $0 <= event ? $0.distance(to: event) : nil
            }
            if let (loaded, layout) = checkpoint, try EventReader(log).holds(loaded) {
                state = loaded
                rowCount = layout.rowCount
            }
            let first = max(state.sequence, firstSequence.advanced(by: -1))
            let total = rowCount + first.distance(to: event)
            progress(rowCount, total)
            var unused = DirtyRows(isRecording: false)
            try HistoryReader.fold(log, through: event, into: &state, marking: &unused) {
                progress(rowCount + first.distance(to: $0.sequence), total)
                return true
            }
        }
        return state
    }

    /// The state in the checkpoint; nil if there is none that can be used, or it is not wanted.
    ///
    /// - Parameter eventCount: returns the number of events that lie between the state after an
    ///   event and the wanted one; nil if it is of no use.
    func loadCheckpoint(
        into empty: Snapshot, _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        eventCount: (SequenceNumber) -> Int?
    ) throws -> (state: Snapshot, layout: TableLayout)? {
        // The checkpoint of a damaged store may hold events that cannot be read.
        guard scan == nil, let checkpoint = try checkpoint() else { return nil }
        do {
            defer { try? checkpoint.close() }
            guard let description = try checkpoint.description(),
                description.position.storeID == log.storeID.bytes,
                description.position.sequence + 1 >= log.firstSequence,
                let count = eventCount(description.position.last)
            else { return nil }
            let total = count + description.layout.rowCount
            let state = try checkpoint.load(into: empty, beforeEvents: count) {
                progress($0, total)
            }
            // A writer may have written a newer one before it was loaded.
            guard let state, eventCount(state.sequence) != nil,
                let layout = try checkpoint.description()?.layout
            else { return nil }
            return (state, layout)
        } catch is CheckpointError {
            return nil
        }
    }

    /// Whether the state of the checkpoint has the time of its event; throws unless it is one of
    /// this log.
    private func isUsable(_ state: Snapshot) throws -> Bool {
        // The writer may have appended events and written the checkpoint since the last look.
        if state.sequence > sequence { _ = try refresh() }
        let place = StoreError.Place(
            file: "checkpoint.sqlite", sequences: state.sequence...state.sequence)
        guard state.sequence <= sequence else {
            throw StoreError(
                .logBehindCheckpoint,
                "the checkpoint holds event \(state.sequence), the log ends at \(sequence): the "
                    + "log lost something; restore it, name a moment to see what the log holds, "
                    + "or save the records with `skyros salvage --from-checkpoint`",
                at: place)
        }
        guard state.sequence > .zero else { return true }
        let stamp = try EventReader(log).stamp(of: state.sequence)
        guard stamp?.chainHash == state.chainHash else {
            throw StoreError(
                .chainBroken,
                "the checkpoint and the log differ at or before event \(state.sequence); "
                    + "rebuild the checkpoint from the log", at: place)
        }
        return stamp?.time ?? state.time == state.time
    }
}
