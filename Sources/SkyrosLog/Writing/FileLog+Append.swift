import SkyrosDisk

extension FileLog {
    package func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition {
        guard batch.count <= options.batchBytesMax else {
            let why = "the batch has \(batch.count) bytes, the limit is \(options.batchBytesMax)"
            throw LogError(.limitExceeded, why, sequences: sequence...sequence)
        }
        while true {
            let position = try withState { state throws(LogError) -> LogPosition? in
                try checkOpen(state)
                let next = state.catalog.lastSequence + 1
                guard sequence == next else {
                    let why = "batch \(sequence) cannot follow \(next - 1)"
                    throw LogError(.conflict, why, sequences: sequence...sequence)
                }
                guard try makeRoom(for: batch.count, timeBefore, &state) else { return nil }
                try write(.batch, batch, sequence: sequence, deferring: deferring, &state)
                return state.end
            }
            if let position { return position }
            // What is unsynced must become durable first: to end a segment, or to stay within
            // the bound.
            try sync(through: end)
        }
    }

    func checkOpen(_ state: State) throws(LogError) {
        if let failure = state.failure { throw failure }
    }

    /// Starts a new segment if the active one is full. Returns false if a sync is needed first.
    private func makeRoom(
        for byteCount: Int, _ timeBefore: Int64, _ state: inout State
    ) throws(LogError) -> Bool {
        let unsynced = state.appendedBytes - state.durableBytes
        let isFull = state.catalog.active.scan.endOffset >= options.segmentBytesMax
        // One without a batch stays, whatever its size: its successor would bear the same name.
        if isFull, state.catalog.active.hasBatches {
            guard unsynced == 0, !state.isSyncing else { return false }
            try startSegment(timeBefore, &state)
        }
        return unsynced + Block.byteCount(payload: byteCount) <= options.unsyncedBytesMax
    }

    /// Ends the active segment, which is durable, and starts its successor. The background
    /// seals the ended one later.
    private func startSegment(_ timeBefore: Int64, _ state: inout State) throws(LogError) {
        let ended = state.catalog.active
        var header = ended.header
        header.firstSequence = ended.scan.lastSequence + 1
        header.chainHashBefore = ended.scan.lastChainHash
        header.timeBefore = timeBefore
        header.salt = ended.nextSalt
        header.unsyncedBytesMax = UInt64(options.unsyncedBytesMax)
        let next: OpenSegment
        do throws(LogError) {
            next = try NewSegment.make(header, in: directory)
        } catch {
            throw Self.failStop(error, &state)
        }
        state.catalog.ended.append(ended)
        state.catalog.active = next
        state.allocatedBytes = next.scan.endOffset
        state.durableSegmentBytes = next.scan.endOffset
    }

    /// If `error` is a failed sync, of a file or of a directory, the log takes no more writes
    /// (promise P10): a later sync that succeeds would prove nothing. Returns what to throw.
    static func failStop(_ error: LogError, _ state: inout State) -> LogError {
        guard let cause = error.cause, cause.isFailedSync else { return error }
        let why = "a sync failed, so what it was to secure may be lost: \(cause)"
        let failure = LogError(.durabilityLost, why, state.catalog.active.name, cause: cause)
        state.failure = state.failure ?? failure
        return failure
    }

    /// Appends one block, to the file or to what is deferred.
    func write(
        _ kind: Block.Kind, _ payload: UnsafeRawBufferPointer, sequence: UInt64, deferring: Bool,
        _ state: inout State
    ) throws(LogError) {
        let hash = XXH64.hash(payload)
        let lastChainHash = state.catalog.active.scan.lastChainHash
        let block = Block(
            kind, payload: payload, payloadHash: hash, sequence: sequence,
            chainHash: kind == .batch ? lastChainHash.advanced(by: hash) : lastChainHash,
            durableByteCount: state.durableSegmentBytes)
        let salt = state.catalog.active.header.salt
        if deferring, state.deferred.count + block.byteCount <= options.deferredBytesMax {
            block.append(to: &state.deferred, payload: payload, salt: salt)
        } else {
            try writeDeferred(&state)
            try writeToFile(block, payload, salt, &state)
        }
        let offset = state.catalog.active.scan.endOffset
        state.catalog.active.scan.note(block, at: offset, payload: payload)
        state.appendedBytes += block.byteCount
    }

    /// Writes what was deferred; if that fails it stays deferred.
    func writeDeferred(_ state: inout State) throws(LogError) {
        guard !state.deferred.isEmpty else { return }
        let start = state.catalog.active.scan.endOffset - state.deferred.count
        let deferred = state.deferred
        try deferred.withBytes { bytes throws(LogError) in
            try writeToFile(bytes, at: start, &state)
        }
        state.deferred = []
    }

    private func writeToFile(
        _ block: Block, _ payload: UnsafeRawBufferPointer, _ salt: UInt64, _ state: inout State
    ) throws(LogError) {
        if state.scratch.count < block.byteCount {
            state.scratch = [UInt8](repeating: 0, count: block.byteCount * 2)
        }
        state.scratch.withUnsafeMutableBytes { block.write(to: $0, payload: payload, salt: salt) }
        let offset = state.catalog.active.scan.endOffset
        // Out of the state, which is changed meanwhile.
        let scratch = state.scratch
        try scratch.withBytes { bytes throws(LogError) in
            try writeToFile(bytes.slice(0, block.byteCount), at: offset, &state)
        }
    }

    private func writeToFile(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ state: inout State
    ) throws(LogError) {
        let file = state.catalog.active.file
        let end = offset + bytes.count
        do throws(DiskError) {
            try file.write(bytes, at: offset)
            if end > state.allocatedBytes {
                // Behind the block, which would otherwise be written twice.
                let size = end + min(options.preallocationBytes, options.segmentBytesMax)
                try file.preallocate(to: size)
                state.allocatedBytes = size
            }
        } catch {
            undoWrite(at: offset, after: error, &state)
            throw LogError(error)
        }
    }

    /// A failed write may have left a part of a block: cut it off before anything else. If even
    /// that fails the log takes no more writes (promise P10).
    private func undoWrite(at offset: Int, after error: DiskError, _ state: inout State) {
        do throws(DiskError) {
            try state.catalog.active.file.truncate(to: offset)
            state.allocatedBytes = offset
        } catch let second {
            let why = "a failed write could not be undone (\(second)) after: \(error)"
            state.failure = LogError(
                .durabilityLost, why, state.catalog.active.name, at: offset, cause: error)
        }
    }
}
