import SkyrosDisk

/// Brings a log to a server that has none, or a first part of it.
///
/// An upload that was interrupted is continued by the next one.
package struct LogUpload {
    private let server: any LogServer
    private let source: any ObservedLog
    private let options: RemoteLogOptions
    /// The last batch that the server has.
    private var head: LogHead
    private var sealed: UInt64

    /// Connects, makes the log if there is none, and takes the turn to write.
    ///
    /// - Throws: `LogError` with `.foreignStore` if the server has the log of another store,
    ///   `.otherHistory` if it has other or later batches, `.belowFloor` if the source has lost its
    ///   first batches to pruning, `.notWriter` if a node writes, `.unavailable`.
    package init(
        of source: any ObservedLog, to server: any LogServer, _ options: RemoteLogOptions
    ) throws(LogError) {
        self.server = server
        self.source = source
        self.options = options
        guard source.floor == nil else {
            throw LogError(
                .belowFloor,
                "the log begins with event \(source.firstSequence), and a server keeps all events")
        }
        (head, sealed) = (LogHead(sequence: 0, chainHash: source.beginning), 0)
        do throws(ServerError) {
            try server.connect()
            if try !server.exists() { try server.create(source.storeID) }
            try join()
        } catch {
            throw LogError(error)
        }
    }

    /// Takes the turn, and looks how far the server is.
    private mutating func join() throws(ServerError) {
        let turn = try server.takeTurn(as: options.node)
        guard turn.isOwn else { throw .refused(.notTheWriter(turn.node)) }
        try server.waitForQuorum()
        let state = try server.state()
        guard state.storeID == source.storeID else {
            throw .refused(LogError(.foreignStore, "the server has the log of another store"))
        }
        guard try chainHash(through: state.head.sequence) == state.head.chainHash else {
            throw .refused(
                LogError(.otherHistory, "the server has other events than the log, or later ones"))
        }
        (head, sealed) = (state.head, state.sealedThrough)
    }

    private func chainHash(through sequence: UInt64) throws(ServerError) -> ChainHash? {
        if sequence == 0 { return source.beginning }
        do throws(LogError) {
            return try source.chunk(containing: sequence)?.chainHash(through: sequence)
        } catch {
            throw .refused(error)
        }
    }

    /// Appends what the server lacks, in groups, and compresses it there.
    ///
    /// - Parameter progress: called after each group with the last batch that the server has.
    /// - Returns: the number of batches that were appended.
    /// - Throws: `LogError` with `.unavailable` if the server cannot be reached for long.
    package mutating func run(
        progress: (_ sequence: UInt64) -> Void
    ) throws(LogError) -> UInt64 {
        let first = head.sequence
        let last = source.head.sequence
        var deadline = Deadline(afterMilliseconds: options.patienceMilliseconds)
        while head.sequence < last {
            let group = try nextGroup(through: last)
            do throws(ServerError) {
                try server.append(group, after: head, origin: options.entropy.next())
                if let end = group.last?.head { head = end }
                try seal()
                deadline = Deadline(afterMilliseconds: options.patienceMilliseconds)
                progress(head.sequence)
            } catch {
                if case .refused(let refusal) = error { throw refusal }
                // Appended or not: the server says how far it is.
                try reconnect(until: deadline, error)
            }
        }
        return head.sequence - first
    }

    private mutating func reconnect(
        until deadline: Deadline, _ error: ServerError
    ) throws(LogError) {
        var error = error
        while !deadline.hasPassed {
            options.pause(100)
            do throws(ServerError) {
                try server.connect()
                return try join()
            } catch let next {
                // The server may not have noticed that the former connection was lost.
                if case .refused(let refusal) = next, refusal.code != .notWriter { throw refusal }
                error = next
            }
        }
        throw LogError(error)
    }

    private func nextGroup(through last: UInt64) throws(LogError) -> [RemoteBatch] {
        guard let chunk = try source.chunk(containing: head.sequence + 1) else {
            throw LogError(
                .belowFloor, "the log no longer keeps event \(head.sequence + 1)",
                sequences: head.sequence + 1...head.sequence + 1)
        }
        var (group, byteCount, chainHash) = ([RemoteBatch](), 0, head.chainHash)
        _ = chunk.forEach(from: head.sequence + 1) { sequence, bytes in
            byteCount += bytes.count
            guard sequence <= last, group.count < options.groupCountMax,
                byteCount <= options.groupBytesMax || group.isEmpty
            else { return false }
            chainHash = chainHash.advanced(by: XXH64.hash(bytes))
            group.append(
                RemoteBatch(sequence: sequence, chainHash: chainHash, bytes: [UInt8](bytes)))
            return true
        }
        return group
    }

    private mutating func seal() throws(ServerError) {
        while head.sequence >= sealed + options.unsealedCountMax {
            let frame: RemoteFrame?
            do throws(LogError) {
                frame = try RemoteFrame.next(
                    after: sealed, through: head.sequence - options.keptCount,
                    byteCount: options.frameBytes, of: source)
            } catch {
                throw .refused(error)
            }
            guard let frame else { return }
            try server.seal(frame)
            sealed = frame.sequences.upperBound
        }
    }
}
