import SkyrosDisk
import SkyrosLog

// Making runs, and merging them: on one thread at a time.

extension HistoryIndex {
    /// What making and merging remember from one step to the next.
    struct Work: Sendable {
        /// A state that was needed for a run, without indexes, while there is more to cover.
        var state: Snapshot?
        var merger: RunMerger?
        /// Merges that have failed, one after the other, and the number of runs from which on the
        /// next one is tried.
        var failureCount = 0
        var runCountMin = 0
    }

    /// Makes the next run, if enough of the log has none; returns whether it did.
    ///
    /// - Parameters:
    ///   - last: the last event to cover, unless others are written meanwhile.
    ///   - known: gives a state of the log, best the newest one: for its sequence, and if a record
    ///     does not come from the events of the run.
    ///   - isComplete: whether to make a run of what there is, however small.
    ///   - sync: makes the log durable: a run is never ahead of the durable log.
    /// - Throws: `StoreError`; the next call tries again.
    func makeNext(
        through last: SequenceNumber, from known: @escaping () -> Snapshot,
        isComplete: Bool = false, syncing sync: () throws -> Void
    ) throws -> Bool {
        guard mayChangeFiles else { return false }
        let (parts, tail) = current()
        let missing = parts.lazy.compactMap { part in
            if case .missing(let missing) = part { missing } else { nil }
        }.first
        let first = missing?.lowerBound ?? tail.start.rawValue + 1
        var builder = RunBuilder(timeSpanMax: timeSpanMax)
        try append(first, missing?.upperBound ?? last.rawValue, to: &builder)
        var end = last
        if missing == nil, !builder.isEmpty, !builder.isFull {
            // What was written meanwhile is read now, and not twice.
            end = max(last, known().sequence)
            try append(builder.last.rawValue + 1, end.rawValue, to: &builder)
        }
        // A store that is closed meanwhile does not wait for the rest.
        guard mayChangeFiles else { return false }
        // The next attempt would end at the same event.
        let isSmall = builder.logByteCount < RunPlan.logBytesMin && !builder.isFull
        if builder.isEmpty || (isSmall && missing == nil && !isComplete) {
            noteUncovered(byteCount: builder.logByteCount)
            work.withLock { $0.state = nil }
            return false
        }
        let header = RunHeader(
            storeID: storeID, sequences: first...builder.last.rawValue,
            times: builder.times, happened: builder.happened.times,
            chainHashBefore: try chainHash(before: first), chainHashAfter: builder.chainHash,
            logByteCount: builder.logByteCount)
        let records = RunRecords(
            index: self, sequences: header.sequences, end: end, known: known)
        try sync()
        try write(header) { writer in try builder.write(to: &writer, records) }
        if missing == nil { noteCovered(byteCount: header.logByteCount) }
        if header.sequences.upperBound >= end.rawValue { work.withLock { $0.state = nil } }
        return true
    }

    /// Adds the changes of events, as many as one run may have.
    private func append(_ first: UInt64, _ last: UInt64, to builder: inout RunBuilder) throws {
        guard first <= last else { return }
        try EventReader(log).forEachEncoded(
            from: SequenceNumber(rawValue: first), through: SequenceNumber(rawValue: last)
        ) { sequence, bytes, chainHash in
            try builder.append(sequence, bytes, chainHash)
            return !builder.isFull && mayChangeFiles
        }
    }

    private func chainHash(before first: UInt64) throws -> ChainHash {
        guard first > 1 else { return empty.chainHash }
        let before = SequenceNumber(rawValue: first - 1)
        guard let hash = try EventReader(log).check(through: before) else {
            throw StoreError(
                .noSuchEvent, "the log does not hold event \(before)",
                at: StoreError.Place(sequences: before...before))
        }
        return hash
    }

    private func write(_ header: RunHeader, _ body: (inout RunWriter) throws -> Void) throws {
        do {
            try disk.makeDirectoryDurably(.history)
            var writer = try RunWriter(header, on: disk)
            try body(&writer)
            put(try HistoryRun(try writer.finish(), on: disk, cache: cache))
        } catch {
            // The first error counts.
            try? disk.remove(RunName(header.sequences, .temporary).path)
            throw StoreError.wrapping(error)
        }
    }
}

// MARK: - Merging

extension HistoryIndex {
    /// Does a step of a merge, if one is due; returns whether it did.
    ///
    /// - Throws: `StoreError`. A run that is damaged is set aside: it is made again. Another merge
    ///   is tried when there are eight more runs; after a second error, sixteen, and so on.
    func mergeNext() throws -> Bool {
        guard mayChangeFiles else {
            abandonMerge()
            return false
        }
        do {
            guard let merger = try work.withLock({ $0.merger }) ?? beginMerge() else {
                return false
            }
            guard let name = try merger.step() else { return true }
            put(try HistoryRun(name, on: disk, cache: cache))
            work.withLock { $0 = Work(state: $0.state) }
            for run in merger.runs { try disk.remove(run.name.path) }
            return true
        } catch {
            if noteFailure(error) { return true }
            throw StoreError.wrapping(error)
        }
    }

    private func beginMerge() throws -> RunMerger? {
        guard let merger = try RunMerger(dueRuns(), on: disk) else { return nil }
        work.withLock { $0.merger = merger }
        return merger
    }

    /// Ends a merge without a result.
    func abandonMerge() {
        let merger = work.withLock { work in
            defer { work.merger = nil }
            return work.merger
        }
        merger?.abandon()
    }

    /// Returns whether the error is that of a run, which was discarded.
    private func noteFailure(_ error: any Error) -> Bool {
        let runs = work.withLock { $0.merger?.runs } ?? dueRuns()
        abandonMerge()
        if let error = error as? LogError,
            let run = runs.first(where: { $0.name.path == error.file })
        {
            remove(run, because: error)
            return true
        }
        // A suspended store merges when it is resumed.
        if StoreError.wrapping(error).code == .suspended { return false }
        let count = current().parts.count
        work.withLock { work in
            work.failureCount += 1
            work.runCountMin = count + 8 << min(work.failureCount - 1, 10)
        }
        return false
    }

    /// The runs to merge next: neighbours, with nothing missing between them.
    private func dueRuns() -> [HistoryRun] {
        let parts = current().parts
        guard parts.count >= work.withLock({ $0.runCountMin }) else { return [] }
        var neighbours: [HistoryRun] = []
        for part in parts.reversed() {
            guard case .run(let run) = part else {
                neighbours = []
                continue
            }
            neighbours.insert(run, at: 0)
            let runs = neighbours.map { run in
                RunPlan.Run(logByteCount: run.header.logByteCount, times: run.header.times)
            }
            if let range = RunPlan.next(in: runs, timeSpanMax: timeSpanMax) {
                return Array(neighbours[range])
            }
        }
        return []
    }
}
