import SkyrosLog

extension Archive {
    /// Finds the event that broke a condition, by binary search.
    ///
    ///     let archive = try Archive(at: url, entities: [Account.self])
    ///     let found = try archive.bisect { state in
    ///         try state.first(Account.self, where: \.balance < 0) == nil
    ///     }
    ///     if let event = found.event { print(event.sequence, event.metadata) }
    ///
    /// The condition should hold up to an event and fail from it on. If it changes more often, the
    /// event is one of those that broke it. If it holds again after the last event, it may be that
    /// no event is found: name an earlier `last` then.
    ///
    /// - Parameters:
    ///   - first: the event after which to begin; nil for the beginning of the log. The state after
    ///     it is that of the checkpoint, if this is not later, and of the events between the two.
    ///   - last: the last event; nil for that of the log.
    ///   - progress: called after each event that is folded, with their number and that of the
    ///     events to search.
    ///   - holds: receives a state and returns whether the condition holds in it.
    /// - Complexity: at most ⌈log₂(n + 2)⌉ calls of `holds` for n events. About n events are folded
    ///   in all, as each state is made from the last one in which the condition holds, which takes
    ///   the memory of two states.
    /// - Throws: what `holds` throws; as `replay(after:through:_:)`.
    public func bisect(
        after first: SequenceNumber? = nil, through last: SequenceNumber? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        _ holds: (Snapshot) throws -> Bool
    ) throws -> Bisection {
        let (first, last) = try range(after: first, through: last)
        let total = first.distance(to: last)
        var done = 0
        /// The last state in which the condition is known to hold, or the first of all.
        var base = try state(after: first, from: empty)
        let (found, stateCount) = try StateSearch.run(after: first, through: last) { sequence in
            let state = try fold(base, through: sequence) { _ in
                done = min(done + 1, total)
                progress(done, total)
            }
            let isWhole = try holds(state)
            if isWhole { base = state }
            return isWhole
        }
        let finding: Bisection.Finding =
            switch found {
            case .event(let sequence): .event(try replayed(sequence, on: base))
            case .brokenAlready(let sequence): .brokenAlready(sequence)
            case .holds(let sequence): .holds(sequence)
            }
        return Bisection(finding: finding, stateCount: stateCount)
    }

    /// The same, for a condition that reads the states itself, by the numbers of their events.
    package func bisect(
        after first: SequenceNumber?, through last: SequenceNumber?,
        byNumber holds: (SequenceNumber) throws -> Bool
    ) throws -> (found: StateSearch, stateCount: Int) {
        let (first, last) = try range(after: first, through: last)
        return try StateSearch.run(after: first, through: last, holds)
    }

    /// The state after an event, from one before it.
    ///
    /// - Parameter progress: called before each event that is folded.
    package func fold(
        _ base: Snapshot, through last: SequenceNumber,
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        guard base.sequence < last else { return base }
        func fold(_ state: inout Snapshot) throws {
            var unused = DirtyRows(isRecording: false)
            try HistoryReader.fold(log, through: last, into: &state, marking: &unused) {
                progress($0.sequence)
                return true
            }
        }
        var state = base
        // Building the indexes anew costs as much as updating them for a quarter of the rows.
        if base.sequence.distance(to: last) < base.recordCount / 4 {
            try fold(&state)
        } else {
            try state.fold(fold)
        }
        return state
    }

    /// The event after a state, with its changes.
    private func replayed(
        _ sequence: SequenceNumber, on before: Snapshot
    ) throws -> AppliedEvent {
        var (state, found) = (before, AppliedEvent?.none)
        try EventReader(log).forEach(from: sequence, through: sequence) { event, chainHash in
            found = try AppliedEvent(event, chainHash: chainHash, on: &state)
            return false
        }
        guard let found else { throw HistoryReader.missing(sequence, last: self.sequence) }
        return found
    }
}
