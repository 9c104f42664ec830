import SkyrosDisk

extension FileLog {
    /// What a local log is beside that of a server.
    package enum CatchingUp: Equatable, Sendable {
        /// It has all batches of the server now.
        case complete
        /// It has batches that the server does not have: a failover took them away, or it is a log
        /// of another server. The number is that of the last batch that both have.
        case historyReplaced(after: UInt64)
        /// It ends before the first batch that the server keeps.
        case belowFloor
    }

    /// The bytes that are asked for at a time.
    private static let partBytesMax = 4 << 20

    /// Appends the batches that a server has and this log does not.
    ///
    /// Only what the quorum has is taken. A server that was restored from an older backup has less
    /// than this log: then its history was replaced.
    ///
    /// - Parameters:
    ///   - time: the time of a batch, in microseconds since 1970.
    ///   - progress: called now and then with the last batch of this log.
    /// - Throws: `ServerError`, with `.refused` if this log takes no batches, or if the server
    ///   lacks one, though it holds later ones.
    package func catchUp(
        with server: any LogServer, time: (UnsafeRawBufferPointer) -> Int64,
        progress: (_ sequence: UInt64) -> Void = { _ in }
    ) throws(ServerError) -> CatchingUp {
        let state = try server.state()
        guard state.storeID == storeID else {
            throw .refused(LogError(.foreignStore, "the server has the log of another store"))
        }
        if head == state.head { return .complete }
        // What is visible may not be replicated: after a later commit it is.
        try server.waitForQuorum()
        if head.sequence + 1 < state.firstSequence { return .belowFloor }
        let chainHash = try server.chainHash(through: head.sequence, format)
        guard chainHash == head.chainHash else {
            // A hole is no other history: this log may have what the server has lost.
            if chainHash == nil, head.sequence <= state.head.sequence {
                throw .refused(Self.missing(head.sequence))
            }
            return .historyReplaced(after: try commonPrefix(with: server, state))
        }
        while head.sequence < state.head.sequence {
            let batches = try server.next(
                from: head.sequence + 1, sealedThrough: state.sealedThrough,
                byteCountMax: Self.partBytesMax, format)
            guard !batches.isEmpty else { throw .refused(Self.missing(head.sequence + 1)) }
            try take(batches.prefix { $0.sequence <= state.head.sequence }, time)
            progress(head.sequence)
        }
        return .complete
    }

    /// Appends the batches through one of which the writer has said that the quorum has it; returns
    /// whether this log has it then. If not, the other method finds out why.
    ///
    /// - Parameter time: the time of a batch, in microseconds since 1970.
    /// - Throws: `ServerError`, with `.refused` if this log takes no batches.
    package func catchUp(
        with server: any LogServer, through announced: LogHead,
        time: (UnsafeRawBufferPointer) -> Int64
    ) throws(ServerError) -> Bool {
        // One may come late.
        guard announced.sequence > head.sequence else {
            return announced.sequence < head.sequence || announced == head
        }
        let batches = try server.next(
            from: head.sequence + 1, byteCountMax: Self.partBytesMax, format)
        // Those that come later, or have other chain hashes, may not be replicated.
        guard let first = batches.first,
            let end = batches.firstIndex(where: { $0.head == announced }),
            first.chainHash == head.chainHash.advanced(by: XXH64.hash(first.bytes))
        else { return false }
        try take(batches[...end], time)
        return true
    }

    /// How batches are found in what was compressed.
    var format: FrameFormat { withState { $0.catalog.format } }

    private static func missing(_ sequence: UInt64) -> LogError {
        LogError(
            .corrupt,
            "the server does not hold event \(sequence), though it holds later ones; restore the "
                + "server", sequences: sequence...sequence)
    }

    private func take(
        _ batches: ArraySlice<RemoteBatch>, _ time: (UnsafeRawBufferPointer) -> Int64
    ) throws(ServerError) {
        do throws(LogError) {
            var timeBefore = try lastTime(time)
            for batch in batches {
                try batch.bytes.withBytes { bytes throws(LogError) in
                    let chainHash = head.chainHash.advanced(by: XXH64.hash(bytes))
                    guard chainHash == batch.chainHash else {
                        throw LogError(
                            .chainBroken, "the server has other bytes than its chain hash says",
                            sequences: batch.sequence...batch.sequence)
                    }
                    _ = try append(
                        bytes, as: batch.sequence, timeBefore: timeBefore, deferring: true)
                    timeBefore = time(bytes)
                }
            }
        } catch {
            throw .refused(error)
        }
    }

    /// The time of the last batch; 0 if there is none.
    private func lastTime(
        _ time: (UnsafeRawBufferPointer) -> Int64
    ) throws(LogError) -> Int64 {
        let last = head.sequence
        guard let chunk = try chunk(containing: last) else { return 0 }
        var found: Int64 = 0
        _ = chunk.forEach(from: last) { _, bytes in
            found = time(bytes)
            return false
        }
        return found
    }

    /// The last batch that both logs have, by binary search over chain hashes.
    private func commonPrefix(
        with server: any LogServer, _ state: ServerState
    ) throws(ServerError) -> UInt64 {
        var lower = state.firstSequence - 1
        var upper = min(head.sequence, state.head.sequence) + 1
        while lower + 1 < upper {
            let middle = lower + (upper - lower) / 2
            let isCommon =
                try server.chainHash(through: middle, format) == chainHash(through: middle)
            if isCommon { lower = middle } else { upper = middle }
        }
        return lower
    }

    private func chainHash(through sequence: UInt64) throws(ServerError) -> ChainHash? {
        do throws(LogError) {
            return try chunk(containing: sequence)?.chainHash(through: sequence)
        } catch {
            throw .refused(error)
        }
    }
}
