import SkyrosDisk
import SkyrosLog

// Making runs, and merging them: on one thread at a time.

extension HistoryIndex {
    /// Makes the next run, if enough of the log has none; returns whether it did.
    ///
    /// - Parameters:
    ///   - last: the last event to cover.
    ///   - known: a state of the log, best that after `last`.
    ///   - isComplete: whether to make a run of what there is, however small.
    ///   - sync: makes the log durable: a run is never ahead of the durable log.
    /// - Throws: `StoreError`; the next call tries again.
    func makeNext(
        through last: SequenceNumber, from known: Snapshot, isComplete: Bool = false,
        syncing sync: () throws -> Void
    ) throws -> Bool {
        let (parts, tail) = current()
        let missing = parts.lazy.compactMap { part in
            if case .missing(let missing) = part { missing } else { nil }
        }.first
        let first = missing?.lowerBound ?? tail.start.rawValue + 1
        guard let content = try content(first, missing?.upperBound ?? last.rawValue) else {
            noteUncovered(byteCount: 0)
            return false
        }
        let isSmall = content.builder.logByteCount < RunPlan.logBytesMin
        if isSmall, missing == nil, !isComplete {
            noteUncovered(byteCount: content.builder.logByteCount)
            return false
        }
        let header = RunHeader(
            storeID: storeID, sequences: first...content.last.rawValue,
            chainHashBefore: try chainHash(before: first), chainHashAfter: content.chainHash,
            logByteCount: content.builder.logByteCount)
        let state = try state(at: content.last, from: known)
        rebuilding.withLock { $0 = content.last < last ? state : nil }
        try sync()
        try write(header) { writer in try content.builder.write(to: &writer, endingAt: state) }
        return true
    }

    private typealias Content = (
        builder: RunBuilder, last: SequenceNumber, chainHash: ChainHash
    )

    /// The changes of events, as many as one run may have; nil if there are none.
    private func content(_ first: UInt64, _ last: UInt64) throws -> Content? {
        guard first <= last else { return nil }
        var content: Content?
        var builder = RunBuilder()
        try EventReader(log).forEachEncoded(
            from: SequenceNumber(rawValue: first), through: SequenceNumber(rawValue: last)
        ) { event, bytes, chainHash in
            builder.append(event, byteCount: bytes.count)
            content = (RunBuilder(), event.sequence, chainHash)
            return builder.logByteCount < RunPlan.logBytesMax
        }
        content?.builder = builder
        return content
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

    /// The state after an event.
    private func state(at last: SequenceNumber, from known: Snapshot) throws -> Snapshot {
        if last == known.sequence { return known }
        return try HistoryReader(log: log, empty: empty).snapshot(
            asOf: .sequence(last), from: rebuilding.withLock { $0 } ?? known)
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

    /// Merges runs, if some are due; returns whether it did.
    ///
    /// - Throws: `StoreError`. A run that is damaged is set aside: it is made again.
    func mergeNext() throws -> Bool {
        let runs = dueRuns()
        guard let first = runs.first, let last = runs.last else { return false }
        do {
            guard let name = try RunMerger.merge(runs, on: disk, while: { !isStopped }) else {
                return false
            }
            put(try HistoryRun(name, on: disk, cache: cache))
            for run in runs { try disk.remove(run.name.path) }
            return true
        } catch {
            let name = RunName(first.first...last.last, .temporary)
            try? disk.remove(name.path)
            if let error = error as? LogError, error.code == .corrupt,
                let run = runs.first(where: { $0.name.path == error.file })
            {
                remove(run, because: error)
            }
            throw StoreError.wrapping(error)
        }
    }

    /// The runs to merge next: neighbours, with nothing missing between them.
    private func dueRuns() -> [HistoryRun] {
        var neighbours: [HistoryRun] = []
        for part in current().parts.reversed() {
            guard case .run(let run) = part else {
                neighbours = []
                continue
            }
            neighbours.insert(run, at: 0)
            if let range = RunPlan.next(logByteCounts: neighbours.map(\.header.logByteCount)) {
                return Array(neighbours[range])
            }
        }
        return []
    }
}
