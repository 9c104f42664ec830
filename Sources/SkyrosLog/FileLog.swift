import SkyrosDisk

/// The log in files: one active segment that grows, and sealed ones that never change.
///
/// One thread appends at a time, any number wait for syncs and read. All state is behind one
/// monitor; it is held while a batch is written (about a microsecond into the page cache) but not
/// while batches are synced. Only a segment that is full makes it wait for the disk: the header
/// and the name of its successor are synced before anybody goes on.
package final class FileLog: LogEngine, SegmentedLog {
    let directory: SegmentDirectory
    let options: LogOptions
    let framing: PayloadFraming
    let state: Monitor<State>

    struct State: Sendable {
        var catalog: LogCatalog
        /// The length of the active segment's file, room made in advance included.
        var allocatedBytes: Int
        /// Deferred blocks: the last bytes of the active segment, not yet in its file.
        var deferred: [UInt8] = []
        /// Bytes appended since the opening, over all segments.
        var appendedBytes = 0
        /// How many of them are durable.
        var durableBytes = 0
        /// The last batch that is durable.
        var durableHead: LogHead
        /// What of the active segment's file is durable.
        var durableSegmentBytes: Int
        /// Whether some thread is in the middle of a sync, or has been told to begin one.
        var isSyncing = false
        /// How many bytes are durable once the sync that is under way has been made.
        var syncingBytes = 0
        /// The threads that wait for the sync that is under way, but for its leader.
        var currentRound: CommitGroup?
        /// The threads that wait for the one after it.
        var nextRound: CommitGroup?
        /// Why the log takes no more writes, if so.
        var failure: LogError?
        /// Reused for composing blocks.
        var scratch: [UInt8] = []
    }

    init(
        _ catalog: LogCatalog, on disk: any Disk, _ options: LogOptions,
        _ framing: @escaping PayloadFraming
    ) {
        directory = SegmentDirectory(on: disk)
        self.options = options
        self.framing = framing
        let end = catalog.active.scan.endOffset
        state = Monitor(
            State(
                catalog: catalog, allocatedBytes: end, durableHead: catalog.head,
                durableSegmentBytes: end))
    }

    package var segments: (any SegmentedLog)? { self }

    package var head: LogHead {
        state.withLock { $0.catalog.head }
    }

    package var storeID: StoreID {
        state.withLock { $0.catalog.active.header.storeID }
    }

    /// The time of the last batch before the active segment.
    package var timeBeforeActiveSegment: Int64 {
        state.withLock { $0.catalog.active.header.timeBefore }
    }

    package var end: LogPosition { state.withLock { $0.end } }

    package var durableEnd: LogPosition {
        state.withLock { LogPosition(byteCount: $0.durableBytes, head: $0.durableHead) }
    }

    /// The last batch that is known to have left the process.
    package var writtenHead: LogHead {
        state.withLock { $0.deferred.isEmpty ? $0.catalog.head : $0.durableHead }
    }

    package var statistics: LogStatistics { state.withLock { $0.catalog.statistics } }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        let catalog = try withState { state throws(LogError) in
            try writeDeferred(&state)
            return state.catalog
        }
        return try catalog.chunk(
            containing: sequence, framing: framing,
            contentBytesMax: options.contentBytesMax)
    }

    /// Runs `body` under the lock; the monitor itself knows no typed errors.
    func withState<R>(
        _ body: (inout State) throws(LogError) -> R
    ) throws(LogError) -> R {
        let result = state.withLock { state in
            Result { () throws(LogError) in try body(&state) }
        }
        return try result.get()
    }
}

extension FileLog.State {
    var end: LogPosition {
        LogPosition(byteCount: appendedBytes, head: catalog.head)
    }
}
