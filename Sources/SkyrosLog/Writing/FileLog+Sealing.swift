import SkyrosDisk

extension FileLog {
    package var endedSegmentCount: Int { state.withLock { $0.catalog.ended.count } }

    package var isActiveSealable: Bool { state.withLock { $0.isActiveSealable(options) } }

    package func endSegment(after last: UInt64, at time: Int64) throws(LogError) -> Bool {
        try withState { state throws(LogError) in
            try state.checkOpen()
            try checkNotSuspended()
            guard state.isActiveSealable(options), state.catalog.lastSequence == last,
                state.durableBytes == state.appendedBytes, !state.isSyncing
            else { return false }
            try startSegment(time, &state)
            return true
        }
    }

    /// Seals the oldest ended segment. If this throws, the open file stays and the next call tries
    /// again, unless a sync failed: then the log takes no more writes.
    package func sealNext() throws(LogError) -> Bool {
        let found = try state.withLock { state throws(LogError) -> (OpenSegment, Int64)? in
            try state.checkOpen()
            guard let oldest = state.catalog.ended.first else { return nil }
            let successor = state.catalog.ended.dropFirst().first ?? state.catalog.active
            return (oldest, successor.header.timeBefore)
        }
        guard let (segment, timeAfter) = found else { return false }
        do throws(LogError) {
            let sealed = try SegmentSealer(directory: directory, options: options)
                .seal(segment, timeAfter: timeAfter)
            withState { state in
                state.catalog.ended.removeFirst()
                state.catalog.sealed.append(sealed)
            }
        } catch {
            throw withState { Self.failStop(error, &$0) }
        }
        return true
    }

    /// Merges the small segments that are due first. If this throws, the sources or the merged
    /// segment count, and the next opening removes what is left over. Sources that are damaged are
    /// not merged again.
    package func mergeNext() throws(LogError) -> Bool {
        let (catalog, unmergeable) = try state.withLock { state throws(LogError) in
            try state.checkOpen()
            return (state.catalog, state.unmergeable)
        }
        let sealed = catalog.sealed
        guard let range = MergePlan(options).next(in: sealed, without: unmergeable) else {
            return false
        }
        let merger = SegmentMerger(
            directory: directory, format: catalog.format, frameBytes: options.frameBytes)
        do throws(LogError) {
            let merged = try merger.merge(sealed[range])
            // Only this thread changes the list of sealed segments.
            withState { $0.catalog.sealed.replaceSubrange(range, with: [merged]) }
            try merger.remove(sealed[range])
        } catch {
            throw withState { state in
                if error.isDamage || error.code == .segmentMissing {
                    state.unmergeable.formUnion(sealed[range].map(\.name))
                }
                return Self.failStop(error, &state)
            }
        }
        return true
    }
}

extension FileLog.State {
    /// Whether the active segment holds enough to be sealed before it is full.
    func isActiveSealable(_ options: LogOptions) -> Bool {
        catalog.active.scan.contentByteCount > options.sealThresholdBytes
    }
}
