import SkyrosDisk
import Synchronization

/// The log in files: one active segment that grows, and sealed segments, of which the small ones
/// are merged.
///
/// One thread appends at a time; any number of threads read and wait for syncs. One lock protects
/// the state. It is held while a batch is written to the page cache, about a microsecond, but not
/// during a sync. Only when a segment ends does it wait for the disk: the successor's header and
/// name are synced first.
package final class FileLog: LogEngine, SegmentedLog {
    let directory: SegmentDirectory
    let options: LogOptions
    let state: Locked<State>
    /// Whether the log takes no batches until `resume`.
    let isSuspended = Atomic(false)
    /// Whether the state is held while a new segment is created, which waits for the disk.
    let isStartingSegment = Atomic(false)

    struct State: Sendable {
        var catalog: LogCatalog
        /// The length of the active segment's file, preallocated space included.
        var allocatedBytes: Int
        /// Where a failed write may have left bytes that could not be truncated yet, or nil.
        var partialWriteOffset: Int?
        /// Deferred blocks: the last bytes of the active segment, not yet in its file.
        var deferred: [UInt8] = []
        /// Bytes appended since the log was opened, over all segments.
        var appendedBytes = 0
        /// How many of them are durable.
        var durableBytes = 0
        /// The last durable batch.
        var durableHead: LogHead
        /// Durable bytes of the active segment's file.
        var durableSegmentBytes: Int
        /// Whether a thread is syncing, or was made the leader of the next sync.
        var isSyncing = false
        /// How many bytes are durable after the current sync.
        var syncingBytes = 0
        /// The threads that wait for the current sync, without its leader.
        var currentGroup: CommitGroup?
        /// The threads that wait for the next sync.
        var nextGroup: CommitGroup?
        /// Why the log takes no more writes; nil if it does.
        var failure: LogError?
        /// Whether the files are being removed, so that they are not read either.
        var retirement: LogError?
        /// Sealed segments that a merge found damaged.
        var unmergeable: Set<SegmentName> = []
        /// The buffer in which blocks are composed.
        var scratch: [UInt8] = []

        var end: LogPosition { LogPosition(byteCount: appendedBytes, head: catalog.head) }

        func checkOpen() throws(LogError) {
            if let failure { throw failure }
        }
    }

    init(_ catalog: LogCatalog, on disk: any Disk, _ options: LogOptions) {
        directory = SegmentDirectory(on: disk)
        self.options = options
        let end = catalog.active.scan.endOffset
        state = Locked(
            State(
                catalog: catalog, allocatedBytes: end, durableHead: catalog.head,
                durableSegmentBytes: end))
    }

    package var segments: (any SegmentedLog)? { self }

    package var storeID: StoreID { state.withLock { $0.catalog.active.header.storeID } }

    package var beginning: ChainHash { state.withLock { $0.catalog.beginning } }

    package var head: LogHead { state.withLock { $0.catalog.head } }

    package var end: LogPosition { state.withLock { $0.end } }

    package var durableEnd: LogPosition {
        state.withLock { LogPosition(byteCount: $0.durableBytes, head: $0.durableHead) }
    }

    package var writtenHead: LogHead {
        state.withLock { $0.deferred.isEmpty ? $0.catalog.head : $0.durableHead }
    }

    package var statistics: LogStatistics { state.withLock { $0.catalog.statistics } }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        let catalog = try withState { state throws(LogError) in
            if let error = state.retirement { throw error }
            // Deferred batches are in the active segment.
            if sequence >= state.catalog.active.header.firstSequence { try writeDeferred(&state) }
            return state.catalog
        }
        return try catalog.chunk(containing: sequence)
    }

    package func retire(_ error: LogError) {
        withState { state in
            state.failure = error
            state.retirement = error
        }
    }

    /// Throws while the log is suspended.
    func checkNotSuspended() throws(LogError) {
        guard isSuspended.load(ordering: .sequentiallyConsistent) else { return }
        throw LogError(.suspended, "the store is suspended")
    }

    /// Changes the state under the lock.
    func withState<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try state.withLock { state throws(E) in
            defer { if InvariantChecks.isEnabled { state.checkInvariants(options) } }
            return try body(&state)
        }
    }
}
