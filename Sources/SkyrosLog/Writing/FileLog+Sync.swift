import SkyrosDisk

extension FileLog {
    private enum Turn: Sendable {
        case done
        case failed(LogError)
        /// This thread syncs for all who wait.
        case lead(any DiskFile, SegmentName, segmentBytes: Int, LogPosition)
    }

    package func sync(through position: LogPosition) throws(LogError) {
        let turn = state.wait { state -> Turn? in
            if state.durableBytes >= position.byteCount { return .done }
            if let failure = state.failure { return .failed(failure) }
            if state.isSyncing { return nil }
            do throws(LogError) {
                try writeDeferred(&state)
            } catch {
                return .failed(error)
            }
            state.isSyncing = true
            let active = state.catalog.active
            return .lead(
                active.file, active.name, segmentBytes: active.scan.endOffset, state.end)
        }
        switch turn {
        case .done: return
        case .failed(let error): throw error
        case .lead(let file, let name, let segmentBytes, let end):
            try sync(file, name, segmentBytes: segmentBytes, end)
        }
    }

    /// Syncs once, for everything that was appended before; what is appended meanwhile waits
    /// for the next sync. A failure is final (promise P10): the same sync is never tried again.
    private func sync(
        _ file: any DiskFile, _ name: SegmentName, segmentBytes: Int, _ end: LogPosition
    ) throws(LogError) {
        do throws(DiskError) {
            try file.sync()
        } catch {
            let why = "a sync failed, so what was written since the last one may be lost"
            let failure = LogError(
                .durabilityLost, "\(why): \(error)", name, at: segmentBytes, cause: error)
            state.change { state in
                state.isSyncing = false
                state.failure = failure
            }
            throw failure
        }
        state.change { state in
            state.isSyncing = false
            if end.byteCount > state.durableBytes {
                state.durableBytes = end.byteCount
                state.durableHead = end.head
            }
            if state.catalog.active.name == name { state.durableSegmentBytes = segmentBytes }
        }
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
