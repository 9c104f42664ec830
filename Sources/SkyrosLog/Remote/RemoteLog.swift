package import SkyrosDisk

/// A log on a server, as the node uses it that writes it.
///
/// Batches are staged in memory, and sent in groups: threads that wait at the same time share one
/// transaction, as they share a sync of files. What the quorum has acknowledged is then appended to
/// a log in local files, from which it is read. So the local log is a prefix of the server's, and
/// can be deleted.
///
/// Three rules make it safe, wherever the server runs and however many nodes write:
/// - **The chain hash is the fence.** A group is appended only if the server's last batch has the
///   number and the chain hash of the last acknowledged one. A node that was deposed, or has
///   batches that a failover took away, cannot append, even if the numbers fit. No clock and no
///   lease decides.
/// - **An unknown outcome is looked up.** If the connection is lost while a group is in flight, the
///   node connects again, waits for the quorum, and looks which batch has the number of its last
///   one: its own, another one, or none yet, in which case it sends the group again, under the same
///   condition.
/// - **Nothing is read before it is acknowledged.** `head` and `chunk` do not have what is staged.
package final class RemoteLog: LogEngine {
    let server: any LogServer
    /// What was acknowledged.
    let local: FileLog
    let options: RemoteLogOptions
    let state: Locked<State>
    /// Are called with what was acknowledged.
    let observers = Locked<[Callback<Result<LogPosition, LogError>>]>([])
    /// The local log is continued by one thread at a time.
    let following = Locked(())
    let sealing = Locked(Sealing())

    /// What is compressed on the server.
    struct Sealing: Sendable {
        /// The last batch; nil if the server has to be asked.
        var last: UInt64?
        /// The position of the log when that was noted.
        var byteCount = 0
    }

    struct State: Sendable {
        /// What was acknowledged.
        var acknowledged: LogPosition
        /// Batches that are not acknowledged yet, in order.
        var staged: [Staged] = []
        var stagedByteCount = 0
        /// The end of what is staged.
        var end: LogPosition
        /// Whether a thread is sending, or was made the leader of the next group.
        var isSending = false
        /// The position that the group in flight reaches.
        var sendingBytes = 0
        /// The threads that wait for the group in flight, without its leader.
        var currentGroup: CommitGroup?
        /// The threads that wait for the next group.
        var nextGroup: CommitGroup?
        /// Why the log takes no more batches; nil if it does, or if this node never had the turn.
        var failure: LogError?
        /// The turn to write; nil if this node does not have it.
        var turn: TurnHolder?
        /// The node that had it when that was last asked.
        var otherWriter: String?
        /// Whether something was acknowledged in this turn.
        var hasWritten = false
        /// The positions of batches that were lost with a turn, and why.
        var lost: [(positions: ClosedRange<Int>, error: LogError)] = []

        func checkOpen() throws(LogError) {
            // What may have happened to earlier batches has not happened to the next one.
            if failure?.code == .outcomeUnknown {
                throw LogError(
                    .unavailable,
                    "the server could not be asked yet what became of an earlier event; nothing "
                        + "was written")
            }
            if let failure { throw failure }
            if turn == nil { throw .notTheWriter(otherWriter) }
        }
    }

    struct Staged: Sendable {
        let batch: RemoteBatch
        /// The end of the log after it.
        let position: LogPosition
        /// The time of the batch before it.
        let timeBefore: Int64
    }

    /// Reads what is in `local`, until this node catches up or takes its turn to write.
    ///
    /// - Parameter server: the connection for writing, made by `takeTurn`.
    package init(_ server: any LogServer, _ local: FileLog, _ options: RemoteLogOptions) {
        self.server = server
        self.local = local
        self.options = options
        let position = LogPosition(byteCount: 0, head: local.head)
        state = Locked(State(acknowledged: position, end: position))
    }

    package var storeID: StoreID { local.storeID }

    package var beginning: ChainHash { local.beginning }

    package var floor: LogFloor? { local.floor }

    package var head: LogHead { local.head }

    package var end: LogPosition { state.withLock { $0.end } }

    package var durableEnd: LogPosition { state.withLock { $0.acknowledged } }

    /// That of the local copy: pruning and sealing there are of no concern to other nodes.
    package var segments: (any SegmentedLog)? { local.segments }

    package var writtenHead: LogHead { local.head }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        if sequence > local.head.sequence, sequence <= end.head.sequence {
            try sync(through: end)
        }
        return try local.chunk(containing: sequence)
    }

    package func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition {
        guard batch.count <= options.batchBytesMax else {
            throw LogError(
                .limitExceeded,
                "the event has \(batch.count) bytes, the limit is \(options.batchBytesMax)",
                sequences: sequence...sequence)
        }
        // What waits in memory has a bound.
        if state.withLock({ $0.stagedByteCount > options.stagedBytesMax }) {
            try sync(through: end)
        }
        let position = try state.withLock { state throws(LogError) in
            try state.checkOpen()
            let last = state.end.head
            guard sequence == last.sequence + 1 else {
                throw LogError(
                    .conflict,
                    "batch \(sequence) cannot be appended: batch \(last.sequence + 1) is next",
                    sequences: sequence...sequence)
            }
            let chainHash = last.chainHash.advanced(by: XXH64.hash(batch))
            let staged = RemoteBatch(
                sequence: sequence, chainHash: chainHash, bytes: [UInt8](batch))
            state.end = LogPosition(
                byteCount: state.end.byteCount + batch.count, head: staged.head)
            state.staged.append(
                Staged(batch: staged, position: state.end, timeBefore: timeBefore))
            state.stagedByteCount += batch.count
            return state.end
        }
        if !deferring { try sync(through: position) }
        return position
    }

    /// Also the local log has written then what was acknowledged: archives and backups read its
    /// files.
    package func flush() throws(LogError) {
        try sync(through: end)
        try flushCopy()
    }

    package func close() throws(LogError) {
        if state.withLock({ $0.failure?.code == .closed }) { return }
        let sent = Result { () throws(LogError) in if isWriter { try sync(through: end) } }
        // A thread that sends continues the local log.
        waitForSender(ending: LogError(.closed, "the store was closed"))
        disconnect()
        try local.close()
        try sent.get()
    }
}

/// The limits of a log on a server.
package struct RemoteLogOptions: Sendable {
    /// What people call this node.
    package var node = "a node"
    /// The time of a batch, in microseconds since 1970.
    package var time: @Sendable (UnsafeRawBufferPointer) -> Int64 = { _ in 0 }
    /// The size of the largest batch that this node writes. Default: 64 MiB.
    package var batchBytesMax = 64 << 20
    /// The batches of one transaction. Default: 1,000.
    package var groupCountMax = 1_000
    /// The bytes of one transaction with several batches. Default: 1 MiB.
    package var groupBytesMax = 1 << 20
    /// What may be staged in memory; an append beyond it waits. Default: 16 MiB.
    package var stagedBytesMax = 16 << 20
    /// The batches, and the bytes of them, beyond which the writer compresses batches on the
    /// server. Default: 3,000, and 2 MiB.
    package var unsealedCountMax: UInt64 = 3_000
    package var unsealedBytesMax = 2 << 20
    /// The newest batches, which stay as they are. Default: 1,000.
    package var keptCount: UInt64 = 1_000
    /// The bytes of the batches in a frame, about. Default: 256 KiB.
    package var frameBytes = 256 << 10
    /// How long an unknown outcome is looked up, and an unavailable server tried again, before the
    /// log takes no more batches. A failover takes 5 to 40 seconds. Default: one minute.
    package var patienceMilliseconds = 60_000
    /// Makes the numbers by which a node finds what it has appended.
    package var entropy: any Entropy = SystemEntropy()
    /// Waits for some milliseconds between two attempts to connect.
    package var pause: @Sendable (_ milliseconds: Int) -> Void = {
        Monitor.pause(milliseconds: $0)
    }

    package init() {}
}
