import SkyrosDisk

extension FileLog {
    /// Seals the oldest segment that has ended, if there is one. To be called from one thread
    /// of the background; it compresses, so it takes a while.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `LogError`; the open file then stays and the next call tries again, unless a
    ///   sync failed: then the log takes no more writes.
    package func sealNext() throws(LogError) -> Bool {
        let found = try withState { state throws(LogError) -> (OpenSegment, Int64)? in
            try checkOpen(state)
            guard let oldest = state.catalog.ended.first else { return nil }
            let successor = state.catalog.ended.dropFirst().first ?? state.catalog.active
            return (oldest, successor.header.timeBefore)
        }
        guard let (segment, timeAfter) = found else { return false }
        let sealed: SealedSegment
        do throws(LogError) {
            sealed = try SegmentSealer(directory: directory, options: options).seal(
                segment, timeAfter: timeAfter)
        } catch {
            throw state.change { Self.failStop(error, &$0) }
        }
        state.withLock { state in
            state.catalog.ended.removeFirst()
            state.catalog.sealed.append(sealed)
        }
        return true
    }

    /// Whether a segment waits to be sealed.
    package var hasSegmentToSeal: Bool {
        state.withLock { !$0.catalog.ended.isEmpty }
    }
}
