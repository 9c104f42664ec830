import SkyrosDisk
import Synchronization

extension FileLog {
    package func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition {
        guard batch.count <= options.batchBytesMax else {
            let why = "the event has \(batch.count) bytes, the limit is \(options.batchBytesMax)"
            throw LogError(.limitExceeded, why, sequences: sequence...sequence)
        }
        while true {
            let position = try withState { state throws(LogError) -> LogPosition? in
                try state.checkOpen()
                let next = state.catalog.lastSequence + 1
                guard sequence == next else {
                    let why = "batch \(sequence) cannot be appended: batch \(next) is next"
                    throw LogError(.conflict, why, sequences: sequence...sequence)
                }
                guard next < .max else {
                    let why = "batch \(next - 1) is the last one that a log can hold"
                    throw LogError(.limitExceeded, why, sequences: sequence...sequence)
                }
                guard try prepare(for: batch.count, timeBefore, &state) else { return nil }
                // Starting a segment takes long enough to be suspended meanwhile.
                try checkNotSuspended()
                try write(.batch, batch, sequence: sequence, deferring: deferring, &state)
                return state.end
            }
            if let position { return position }
            // A full segment must be durable before it ends; and the unsynced bytes have a bound.
            try sync(through: end)
        }
    }

    /// Starts a new segment if the active one is full, or spans too long a time. Returns false if a
    /// sync is needed first.
    private func prepare(
        for byteCount: Int, _ timeBefore: Int64, _ state: inout State
    ) throws(LogError) -> Bool {
        let unsynced = state.appendedBytes - state.durableBytes
        let isFull = state.catalog.active.scan.endOffset >= options.segmentBytesMax
        let start = state.catalog.active.header.timeBefore
        let mustEnd = isFull || spansTooLong(from: start, through: timeBefore)
        // The successor of a segment without batches would have the same name.
        if mustEnd, state.catalog.active.hasBatches {
            guard unsynced == 0, !state.isSyncing else { return false }
            try startSegment(timeBefore, &state)
        }
        return unsynced + Block.byteCount(payload: byteCount) <= options.unsyncedBytesMax
    }

    /// Whether a segment between batches with these times spans more than one may.
    ///
    /// The first segment of a log begins at the time 0, as there is no batch before it: when its
    /// first batch was made is not in its header. So with a bound it gets one batch, and each later
    /// segment knows when it begins.
    private func spansTooLong(from start: Int64, through end: Int64) -> Bool {
        guard let timeSpanMax = options.timeSpanMax else { return false }
        return !TimeSpan(from: start, through: end).fits(timeSpanMax)
    }

    /// Ends the active segment, which is durable, and creates its successor. The ended segment is
    /// sealed later, in the background.
    func startSegment(_ timeBefore: Int64, _ state: inout State) throws(LogError) {
        isStartingSegment.store(true, ordering: .sequentiallyConsistent)
        defer { isStartingSegment.store(false, ordering: .sequentiallyConsistent) }
        // Bytes after the last block of an ended segment are damage.
        try truncatePartialWrite(&state)
        try markEnd(&state)
        let ended = state.catalog.active
        let header = ended.header.successor(
            from: ended.scan.lastSequence + 1, after: ended.scan.lastChainHash,
            timeBefore: timeBefore, salt: ended.nextSalt,
            unsyncedBytesMax: options.unsyncedBytesMax)
        let next: OpenSegment
        do throws(LogError) {
            next = try OpenSegment(creating: header, in: directory)
        } catch {
            throw Self.failStop(error, &state)
        }
        state.catalog.ended.append(ended)
        state.catalog.active = next
        state.allocatedBytes = next.scan.endOffset
        state.durableSegmentBytes = next.scan.endOffset
    }

    /// Marks the active segment as ended, before it has a successor: then a copy that lacks the
    /// successor does not look like a shorter log. The mark is durable first, since damage in a
    /// segment with a successor is no torn tail.
    private func markEnd(_ state: inout State) throws(LogError) {
        if state.catalog.active.scan.lastKind != .ended { try writeMark(.ended, &state) }
        do throws(DiskError) {
            try state.catalog.active.file.sync()
        } catch {
            throw Self.failStop(LogError(error), &state)
        }
        state.durableBytes = state.appendedBytes
        state.durableHead = state.end.head
        state.durableSegmentBytes = state.catalog.active.scan.endOffset
    }

    /// Stops all writes if `error` is a failed sync of a file or a directory (promise P10): a later
    /// sync that succeeds would prove nothing. Returns the error to throw.
    static func failStop(_ error: LogError, _ state: inout State) -> LogError {
        guard let cause = error.cause, cause.isFailedSync else { return error }
        let why = "a sync failed, so what it covered may be lost: \(cause)"
        let failure = LogError(.durabilityLost, why, state.catalog.active.name, cause: cause)
        state.failure = state.failure ?? failure
        return failure
    }

    /// Appends one block, to the file or to the deferred bytes.
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
        state.catalog.active.scan.add(block, payload: payload)
        state.appendedBytes += block.byteCount
    }

    /// Appends a block without payload.
    func writeMark(_ kind: Block.Kind, _ state: inout State) throws(LogError) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        try write(
            kind, empty, sequence: state.catalog.lastSequence, deferring: false, &state)
    }

    package func flush() throws(LogError) {
        try withState { state throws(LogError) in
            if state.deferred.isEmpty { return }
            try state.checkOpen()
            try writeDeferred(&state)
        }
    }

    /// Writes the deferred bytes. After an error they stay deferred.
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
        // A copy of the reference: the state changes during the call.
        let scratch = state.scratch
        try scratch.withBytes { bytes throws(LogError) in
            // Nothing follows these marks for now.
            try writeToFile(
                bytes.slice(0, block.byteCount), at: offset,
                preallocating: block.kind != .closing && block.kind != .ended, &state)
        }
    }

    private func writeToFile(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, preallocating: Bool = true,
        _ state: inout State
    ) throws(LogError) {
        let file = state.catalog.active.file
        let end = offset + bytes.count
        try truncatePartialWrite(&state)
        do throws(DiskError) {
            // Before the block: a full disk must not take one back that a reader has seen.
            if preallocating, end > state.allocatedBytes {
                let size = end + min(options.preallocationBytes, options.segmentBytesMax)
                try file.preallocate(to: size)
                state.allocatedBytes = size
            }
            try file.write(bytes, at: offset)
            state.allocatedBytes = max(state.allocatedBytes, end)
        } catch {
            undoWrite(at: offset, after: error, &state)
            throw LogError(error)
        }
    }

    private func truncatePartialWrite(_ state: inout State) throws(LogError) {
        guard let start = state.partialWriteOffset else { return }
        try onDisk(state.catalog.active.file.truncate(to: start))
        state.allocatedBytes = start
        state.partialWriteOffset = nil
    }

    /// Truncates what a failed write may have left of a block. If that fails too, the log takes no
    /// more writes (promise P10).
    ///
    /// A disk that was suspended has written nothing. One that refuses access for now may have
    /// written a part: the next write truncates it first.
    private func undoWrite(at offset: Int, after error: DiskError, _ state: inout State) {
        if error.isSuspension { return }
        do throws(DiskError) {
            try state.catalog.active.file.truncate(to: offset)
            state.allocatedBytes = offset
            state.partialWriteOffset = nil
        } catch let second {
            if second.isRefusedAccess || second.isSuspension {
                state.partialWriteOffset = offset
                return
            }
            let why = "a failed write could not be undone (\(second)) after: \(error)"
            state.failure = LogError(
                .durabilityLost, why, state.catalog.active.name, at: offset, cause: error)
        }
    }
}

extension OpenSegment {
    /// Creates the segment that `header` describes, with an opening block, durably.
    ///
    /// Once the file has its name, only a failed sync of the directory can make this throw: the log
    /// would otherwise continue in the segment before, which the new file contradicts.
    init(creating header: SegmentHeader, in directory: SegmentDirectory) throws(LogError) {
        let content = header.bytes(openedBy: OpeningPayload(on: directory.disk))
        var scan = SegmentScan(beginning: header)
        content.withBytes { all in
            let blocks = all.slice(header.byteCount, all.count - header.byteCount)
            scan.advance(over: blocks, salt: header.salt)
        }
        self.header = header
        self.scan = scan
        name = SegmentName(header.firstSequence, .open)
        file = try DurableFile.write(content, to: name, in: directory)
    }
}
