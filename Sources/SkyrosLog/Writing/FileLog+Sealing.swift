import SkyrosDisk

extension FileLog {
    package var hasSegmentToSeal: Bool { state.withLock { !$0.catalog.ended.isEmpty } }

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
}
