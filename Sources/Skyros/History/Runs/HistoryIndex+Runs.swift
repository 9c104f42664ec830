import SkyrosDisk
import SkyrosLog

// Making runs, and merging them: on one thread at a time.

extension HistoryIndex {
    /// Makes the next run, if enough of the log has none; returns whether it did.
    ///
    /// - Parameters:
    ///   - newest: the newest state.
    ///   - engine: the log, which is synced first: a run is never ahead of the durable log.
    ///   - isComplete: makes a run of what there is, however small.
    /// - Throws: `StoreError`; the next call tries again.
    func makeNext(
        endingAt newest: Snapshot, syncing engine: any LogEngine, isComplete: Bool = false
    ) throws -> Bool {
        let (parts, tail) = current()
        var range: ClosedRange<UInt64>?
        for part in parts {
            if case .missing(let missing) = part {
                range = missing
                break
            }
        }
        let isGap = range != nil
        guard isGap || newest.sequence > tail.start else {
            noteUncovered(byteCount: 0)
            return false
        }
        let wanted = range ?? tail.start.rawValue + 1...newest.sequence.rawValue
        var builder = RunBuilder()
        let reader = EventReader(log)
        var last = SequenceNumber.zero
        var chainHash = ChainHash(rawValue: 0)
        try reader.forEachEncoded(
            from: SequenceNumber(rawValue: wanted.lowerBound),
            through: SequenceNumber(rawValue: wanted.upperBound)
        ) { event, bytes, hash in
            builder.append(event, byteCount: bytes.count)
            (last, chainHash) = (event.sequence, hash)
            return builder.logByteCount < RunPlan.logBytesMax
        }
        guard last > .zero else { return false }
        let isDue = isGap || isComplete || builder.logByteCount >= RunPlan.logBytesMin
        guard isDue else {
            noteUncovered(byteCount: builder.logByteCount)
            return false
        }
        let before = try chainHashBefore(wanted.lowerBound, reader)
        let header = RunHeader(
            storeID: storeID, sequences: wanted.lowerBound...last.rawValue,
            chainHashBefore: before, chainHashAfter: chainHash,
            logByteCount: builder.logByteCount)
        let state = try state(at: last, newest)
        try StoreError.wrap(try engine.sync(through: engine.end))
        try write(header) { writer in try builder.write(to: &writer, endingAt: state) }
        return true
    }

    private func chainHashBefore(
        _ first: UInt64, _ reader: EventReader
    ) throws -> ChainHash {
        guard first > 1 else { return empty.chainHash }
        guard let hash = try reader.check(through: SequenceNumber(rawValue: first - 1)) else {
            throw StoreError(.noSuchEvent, "the log does not hold event \(first - 1)")
        }
        return hash
    }

    /// The state after an event.
    private func state(at last: SequenceNumber, _ newest: Snapshot) throws -> Snapshot {
        if last == newest.sequence { return newest }
        let known = rebuilding.withLock { $0 } ?? newest
        let state = try HistoryReader(log: log, empty: empty).snapshot(
            asOf: .sequence(last), from: known)
        rebuilding.withLock { $0 = last.next < newest.sequence ? state : nil }
        return state
    }

    private func write(_ header: RunHeader, _ body: (inout RunWriter) throws -> Void) throws {
        do {
            try disk.makeDirectoryDurably(.history)
            var writer = try RunWriter(header, on: disk)
            try body(&writer)
            put(try HistoryRun(try writer.finish(), on: disk, cache: cache))
        } catch {
            try? disk.remove(RunName(header.sequences, .temporary).path)
            throw StoreError.wrapping(error)
        }
    }

    /// Merges runs, if some are due; returns whether it did.
    func mergeNext() throws -> Bool {
        var (runs, due): ([HistoryRun], [HistoryRun]) = ([], [])
        for part in current().parts.reversed() {
            if case .run(let run) = part { runs.insert(run, at: 0) } else { runs = [] }
            if let range = RunPlan.next(logByteCounts: runs.map(\.header.logByteCount)) {
                due = Array(runs[range])
                break
            }
        }
        guard let first = due.first, let last = due.last else { return false }
        do {
            guard let name = try RunMerger.merge(due, on: disk, while: { !isStopped }) else {
                return false
            }
            put(try HistoryRun(name, on: disk, cache: cache))
            for run in due { try disk.remove(run.name.path) }
        } catch {
            let name = RunName(first.name.sequences.lowerBound...last.name.sequences.upperBound)
            try? disk.remove(RunName(name.sequences, .temporary).path)
            if let error = error as? LogError, error.code == .corrupt,
                let run = due.first(where: { $0.name.path == error.file })
            {
                remove(run, because: error)
            }
            throw StoreError.wrapping(error)
        }
        return true
    }
}
