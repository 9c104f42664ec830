import SkyrosDisk
import Synchronization

extension FileLog {
    private enum Role {
        /// The position is durable already.
        case none
        case follower(CommitGroup)
        /// The thread syncs for every waiting one.
        case leader
    }

    /// The extent of one sync: everything that was appended before it began.
    private struct Sync {
        let file: any DiskFile
        let segment: SegmentName
        let segmentBytes: Int
        let end: LogPosition
    }

    package func sync(through position: LogPosition) throws(LogError) {
        switch try role(for: position) {
        case .none: return
        case .leader: try syncAsLeader()
        case .follower(let group):
            switch group.wait() {
            case .durable: return
            case .failed(let error): throw error
            case .lead: try syncAsLeader()
            }
        }
    }

    private func role(for position: LogPosition) throws(LogError) -> Role {
        try withState { state throws(LogError) in
            if state.durableBytes >= position.byteCount { return .none }
            try state.checkOpen()
            try checkNotSuspended()
            guard state.isSyncing else {
                state.isSyncing = true
                return .leader
            }
            if position.byteCount <= state.syncingBytes {
                return .follower(Self.join(&state.currentGroup))
            }
            return .follower(Self.join(&state.nextGroup))
        }
    }

    static func join(_ group: inout CommitGroup?) -> CommitGroup {
        let joined = group ?? CommitGroup()
        joined.join()
        group = joined
        return joined
    }

    /// Syncs once, for everything that was appended before. Later appends wait for the next sync. A
    /// failed sync is final (promise P10) and never repeated.
    private func syncAsLeader() throws(LogError) {
        let sync = try beginSync()
        do throws(DiskError) {
            try sync.file.sync()
        } catch  where error.isSuspension {
            let failure = LogError(error)
            withState { endSync(.failed(failure), &$0) }
            throw failure
        } catch {
            let why = "a sync failed, so what was written since the last one may be lost"
            let failure = LogError(
                .durabilityLost, "\(why): \(error)", sync.segment, at: sync.segmentBytes,
                cause: error)
            withState { state in
                state.failure = failure
                endSync(.failed(failure), &state)
            }
            throw failure
        }
        withState { state in
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
            // Threads that wait for the end of all syncs, and came before this one began: they try
            // again. No other thread can be in the group.
            state.currentGroup?.end(.durable)
            state.currentGroup = nil
            do throws(LogError) {
                try writeDeferred(&state)
            } catch {
                promoteLeader(&state)
                throw error
            }
            state.syncingBytes = state.end.byteCount
            state.currentGroup = state.nextGroup
            state.nextGroup = nil
            let active = state.catalog.active
            return Sync(
                file: active.file, segment: active.name, segmentBytes: active.scan.endOffset,
                end: state.end)
        }
    }

    private func endSync(_ outcome: CommitGroup.Outcome, _ state: inout State) {
        state.currentGroup?.end(outcome)
        state.currentGroup = nil
        state.syncingBytes = 0
        promoteLeader(&state)
    }

    /// Makes one thread that waits for the next sync its leader. There is no next sync after a
    /// failure, or if the only thread that waited for it could not begin it.
    private func promoteLeader(_ state: inout State) {
        if let group = state.nextGroup, state.failure == nil, group.promoteLeader() { return }
        state.isSyncing = false
        if let failure = state.failure { state.nextGroup?.end(.failed(failure)) }
        state.nextGroup = nil
    }

    /// Appends and syncs an idle mark if the last block is a batch and everything is durable. The
    /// mark proves that, so damage to the batch is never taken for a torn tail (promise P6).
    package func markIdle() throws(LogError) {
        let end = try withState { state throws(LogError) -> LogPosition? in
            guard state.failure == nil, state.durableBytes == state.appendedBytes,
                !isSuspended.load(ordering: .sequentiallyConsistent),
                state.catalog.active.scan.lastKind == .batch
            else { return nil }
            try writeMark(.idle, &state)
            return state.end
        }
        if let end { try sync(through: end) }
    }

    /// Syncs everything, marks the log as closed in order, frees preallocated space, and takes no
    /// more writes. Reads still work: the files are closed with the last reference to them.
    package func close() throws(LogError) {
        if isSuspended.load(ordering: .sequentiallyConsistent) {
            // What another process has made of the files meanwhile is not this one's to change.
            return withState { $0.failure = LogError(.closed, "the store was closed") }
        }
        try sync(through: end)
        let isFirst = try withState { state throws(LogError) -> Bool in
            if state.failure?.code == .closed { return false }
            try state.checkOpen()
            try writeMark(.closing, &state)
            let active = state.catalog.active
            try onDisk(active.file.truncate(to: active.scan.endOffset))
            state.allocatedBytes = active.scan.endOffset
            return true
        }
        guard isFirst else { return }
        defer { withState { $0.failure = LogError(.closed, "the store was closed") } }
        try sync(through: end)
    }
}
