import SkyrosDisk

extension FileLog {
    private enum Turn {
        case done
        case wait(CommitGroup)
        /// This thread syncs for all who wait.
        case lead
    }

    /// What one sync is about: all that was appended before it began.
    private struct Sync {
        let file: any DiskFile
        let segment: SegmentName
        let segmentBytes: Int
        let end: LogPosition
    }

    package func sync(through position: LogPosition) throws(LogError) {
        switch try turn(for: position) {
        case .done: return
        case .lead: try syncAsLeader()
        case .wait(let round):
            switch round.wait() {
            case .durable: return
            case .failed(let error): throw error
            case .lead: try syncAsLeader()
            }
        }
    }

    private func turn(for position: LogPosition) throws(LogError) -> Turn {
        try withState { state throws(LogError) in
            if state.durableBytes >= position.byteCount { return .done }
            if let failure = state.failure { throw failure }
            guard state.isSyncing else {
                state.isSyncing = true
                return .lead
            }
            if position.byteCount <= state.syncingBytes {
                return .wait(Self.join(&state.currentRound))
            }
            return .wait(Self.join(&state.nextRound))
        }
    }

    private static func join(_ round: inout CommitGroup?) -> CommitGroup {
        let joined = round ?? CommitGroup()
        round = joined
        return joined
    }

    /// Syncs once, for everything that was appended before; what is appended meanwhile waits
    /// for the next sync. A failure is final (promise P10): the same sync is never tried again.
    private func syncAsLeader() throws(LogError) {
        let sync = try beginSync()
        do throws(DiskError) {
            try sync.file.sync()
        } catch {
            let why = "a sync failed, so what was written since the last one may be lost"
            let failure = LogError(
                .durabilityLost, "\(why): \(error)", sync.segment, at: sync.segmentBytes,
                cause: error)
            state.withLock { state in
                state.failure = failure
                endSync(.failed(failure), &state)
            }
            throw failure
        }
        state.withLock { state in
            if sync.end.byteCount > state.durableBytes {
                state.durableBytes = sync.end.byteCount
                state.durableHead = sync.end.head
            }
            if state.catalog.active.name == sync.segment {
                state.durableSegmentBytes = sync.segmentBytes
            }
            endSync(.durable, &state)
        }
    }

    private func beginSync() throws(LogError) -> Sync {
        try withState { state throws(LogError) in
            do throws(LogError) {
                try writeDeferred(&state)
            } catch {
                promoteLeader(&state)
                throw error
            }
            state.syncingBytes = state.end.byteCount
            state.currentRound = state.nextRound
            state.nextRound = nil
            let active = state.catalog.active
            return Sync(
                file: active.file, segment: active.name, segmentBytes: active.scan.endOffset,
                end: state.end)
        }
    }

    private func endSync(_ outcome: CommitGroup.Outcome, _ state: inout State) {
        state.currentRound?.end(outcome)
        state.currentRound = nil
        state.syncingBytes = 0
        promoteLeader(&state)
    }

    /// Lets one of those who wait for the next sync lead it, if there are any; after a failure it
    /// is not made.
    private func promoteLeader(_ state: inout State) {
        if let round = state.nextRound, state.failure == nil { return round.promoteLeader() }
        state.isSyncing = false
        if let failure = state.failure { state.nextRound?.end(.failed(failure)) }
        state.nextRound = nil
    }

    /// Appends and syncs an idle mark, if the last block is a batch and all is durable: with it
    /// the file itself proves that its last batch was durable, so that damage to that batch is
    /// never taken for a torn tail (promise P6).
    package func markIdle() throws(LogError) {
        let end = try withState { state throws(LogError) -> LogPosition? in
            guard state.failure == nil, state.durableBytes == state.appendedBytes,
                state.catalog.active.scan.lastKind == .batch
            else { return nil }
            try appendMark(.idle, &state)
            return state.end
        }
        if let end { try sync(through: end) }
    }

    private func appendMark(_ kind: Block.Kind, _ state: inout State) throws(LogError) {
        let sequence = state.catalog.lastSequence
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        try write(kind, nothing, sequence: sequence, deferring: false, &state)
    }

    /// Syncs everything, marks the segment as closed in order, gives back room made in
    /// advance, and takes no more writes. Calling it again does nothing.
    ///
    /// What was written can still be read: the files are closed with the last reference to them.
    package func close() throws(LogError) {
        try sync(through: end)
        let isFirst = try withState { state throws(LogError) -> Bool in
            if state.failure?.code == .closed { return false }
            try checkOpen(state)
            try appendMark(.closing, &state)
            let active = state.catalog.active
            try onDisk { () throws(DiskError) in
                try active.file.truncate(to: active.scan.endOffset)
            }
            state.allocatedBytes = active.scan.endOffset
            return true
        }
        guard isFirst else { return }
        defer { state.change { $0.failure = LogError(.closed, "the store was closed") } }
        try sync(through: end)
    }
}
