import SkyrosDisk

// Batches that are in no sealed segment yet, which are appended one by one.

extension LogBackup {
    /// Appends the batches up to `end`, syncs them, and reads them again.
    ///
    /// The copy's log writes them as any log does, with a salt and a durable watermark of its file:
    /// so whatever a crash leaves of them is judged as in a store.
    func append(
        through end: UInt64, _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        let first = copy.head.sequence + 1
        guard first <= end else { return }
        try original.checkKeeps(from: first)
        let catalog = original.catalog
        let log = try copy.openLog()
        var next = first
        while next <= end {
            let border = catalog.firstSequence(holding: next)
            if next == border, copy.activeFirstSequence < border {
                try startSegment(beginning: next, of: log)
            }
            guard let chunk = try catalog.chunk(containing: next) else { break }
            let byteCount = try append(chunk, from: next, through: end, to: log)
            next = min(chunk.lastSequence, end) + 1
            report.appendedBatches = next - first
            report.appendedBytes += byteCount
            progress.copiedBytes = min(progress.copiedBytes + byteCount, progress.totalBytes)
            progress.sequence = next - 1
            notify(progress)
        }
        try log.sync(through: log.end)
        try verify(log, from: first, through: end)
        copy.noteAppended(log)
    }

    private func append(
        _ chunk: LogChunk, from first: UInt64, through end: UInt64, to log: FileLog
    ) throws(LogError) -> Int {
        var byteCount = 0
        _ = try chunk.forEach(from: first) { sequence, batch throws(LogError) in
            guard sequence <= end else { return false }
            // The times of segments are the source's: see `startSegment`.
            _ = try log.append(batch, as: sequence, timeBefore: 0, deferring: true)
            byteCount += batch.count
            return true
        }
        return byteCount
    }

    /// Begins a segment of the copy where the source has one.
    private func startSegment(
        beginning first: UInt64, of log: FileLog
    ) throws(LogError) {
        guard var header = original.catalog.header(beginning: first) else { return }
        header.salt = entropy.next()
        header.unsyncedBytesMax = copy.unsyncedBytesMax
        try log.startSegment(header)
        copy.noteAppended(log)
    }

    /// Reads what was appended from the files, and compares it with the source's chain hash.
    private func verify(
        _ log: FileLog, from first: UInt64, through end: UInt64
    ) throws(LogError) {
        let expected = try original.catalog.chunk(containing: end)?.chainHash(through: end)
        do throws(LogError) {
            var next = first
            var last = ChainHash(rawValue: 0)
            while next <= end, let chunk = try log.chunk(containing: next) {
                next = chunk.lastSequence + 1
                last = chunk.chainHash(through: end)
            }
            if next > end, last == expected { return }
        } catch {
            guard error.isDamage else { throw error }
        }
        let why =
            "the events of the copy cannot be read back as they were written; its medium may be "
            + "failing"
        throw LogError(.io, why, sequences: first...end)
    }
}

extension FileLog {
    /// Makes everything durable, ends the active segment, and begins the one that `header`
    /// describes.
    func startSegment(_ header: SegmentHeader) throws(LogError) {
        try sync(through: end)
        try withState { state throws(LogError) in
            try state.checkOpen()
            let next: OpenSegment
            do throws(LogError) {
                next = try OpenSegment(creating: header, in: directory)
            } catch {
                throw Self.failStop(error, &state)
            }
            state.catalog.ended.append(state.catalog.active)
            state.catalog.active = next
            state.allocatedBytes = next.scan.endOffset
            state.durableSegmentBytes = next.scan.endOffset
        }
    }
}
