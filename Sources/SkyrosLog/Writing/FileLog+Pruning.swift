import SkyrosDisk

/// What pruning has removed.
package struct LogPruning: Equatable, Sendable {
    /// The segments, and the floor before.
    package var fileCount = 0
    package var byteCount = 0
}

extension FileLog {
    package var floor: LogFloor? { state.withLock { $0.catalog.floor } }

    package var borders: [LogBorder] { state.withLock { $0.catalog }.borders }

    /// Writes a floor below the segment that begins with `first`: `body` writes the frames, and
    /// returns the index; `check` may refuse what was read back.
    ///
    /// Nothing is removed yet. If this throws, the log is as before.
    package func makeFloor(
        below first: UInt64, _ body: (inout FloorWriter) throws -> [UInt8],
        check: (LogFloor) throws(LogError) -> Void
    ) throws -> LogFloor {
        try checkNotSuspended()
        let catalog = try state.withLock { state throws(LogError) in
            try state.checkOpen()
            return state.catalog
        }
        guard catalog.borders.contains(where: { $0.firstSequence == first }),
            var header = catalog.header(beginning: first)
        else { throw LogError(.conflict, "batch \(first) does not follow a sealed segment") }
        header.storeID = catalog.beginningID
        header.requiredFeatures = SegmentHeader.floorFeature
        header.salt = 0
        header.unsyncedBytesMax = 0
        do {
            var writer = try FloorWriter(header, in: directory)
            let index = try body(&writer)
            return try writer.finish(index: index, check: check)
        } catch {
            // The first error counts.
            try? directory.disk.remove(SegmentName(first, .temporary).path)
            guard let error = error as? LogError else { throw error }
            throw withState { Self.failStop(error, &$0) }
        }
    }

    /// Takes a floor, and removes the segments below it, the oldest first. One thread at a time may
    /// call it, `sealNext` and `mergeNext`.
    ///
    /// If this throws, the next opening removes what is left. The removals need no sync: opening
    /// repeats those that a power cut undoes.
    package func prune(
        to floor: LogFloor, before body: () -> Void
    ) throws(LogError) -> LogPruning {
        let first = floor.firstSequence
        let (old, sealed) = try withState { state throws(LogError) in
            try state.checkOpen()
            try checkNotSuspended()
            let old = state.catalog.floor
            let sealed = state.catalog.sealed.prefix { $0.first < first }
            guard sealed.last.map({ $0.lastSequence < first }) ?? false else {
                throw LogError(.conflict, "batch \(first) follows no sealed segment any more")
            }
            state.catalog.adopt(floor)
            return (old, sealed)
        }
        body()
        var report = LogPruning()
        let files =
            (old.map { [($0.name, $0.byteCount)] } ?? [])
            + sealed.map { ($0.name, $0.byteCount) }
        for (name, byteCount) in files {
            try onDisk(directory.disk.remove(name.path))
            report.fileCount += 1
            report.byteCount += byteCount
        }
        return report
    }
}
