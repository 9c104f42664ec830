import SkyrosDisk
import SkyrosLog
import Synchronization

/// Finds the changes of a record without reading the log: in runs, and in memory for the events
/// that no run covers yet.
///
/// It is a cache. Where a run is missing or damaged, the log is read instead, until the run is made
/// again. Questions may come from any thread; runs are made and merged by one at a time.
final class HistoryIndex: Sendable {
    /// What says which changes a part of the log has.
    enum Part: Sendable {
        case run(HistoryRun)
        /// Only the log does.
        case missing(ClosedRange<UInt64>)

        var sequences: ClosedRange<UInt64> {
            switch self {
            case .run(let run): run.header.sequences
            case .missing(let sequences): sequences
            }
        }
    }

    struct State: Sendable {
        /// From the first event that the log keeps on, without gaps.
        var parts: [Part] = []
        /// What follows them.
        var tail = RunTail(after: .zero)
        /// That first event; nil if nothing was loaded yet.
        var first: UInt64?
    }

    let log: any LogReader
    let storeID: StoreID
    let disk: any Disk
    /// The state before the first event.
    let empty: Snapshot
    let cache = FrameCache()
    private let floor = Locked<FloorState?>(nil)
    /// Whether this process holds the store's lock, and may change its files.
    let mayWrite: Bool
    /// What one run may span, in microseconds from its first event to its last; nil for any time.
    let timeSpanMax: Int64?
    let report: @Sendable (any Error) -> Void
    private let state = Locked(State())
    let work = Locked(Work())
    /// About how much of the log has no run.
    private let uncoveredBytes = Atomic(0)
    /// Whether nothing was written for a while.
    private let isPaused = Atomic(true)
    private let wasStopped = Atomic(false)
    private let wasSuspended = Atomic(false)

    init(
        _ log: any LogReader, of storeID: StoreID, on disk: any Disk, empty: Snapshot,
        mayWrite: Bool, timeSpanMax: Int64? = nil,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.storeID = storeID
        self.disk = disk
        self.empty = empty
        self.mayWrite = mayWrite
        self.timeSpanMax = timeSpanMax
        self.report = report
    }

    /// Estimates how much of the log has no run, by the names of the runs: they are opened when
    /// they are needed.
    ///
    /// - Parameter logByteCount: the size of all events.
    func estimateUncovered(logByteCount: Int) {
        // The log answers if the directory cannot be read.
        let names = (try? RunName.list(on: disk)) ?? []
        let covered = names.lazy.filter { $0.kind == .run }.map(\.sequences.upperBound).max() ?? 0
        let (last, before) = (log.head.sequence, log.firstSequence - 1)
        let start = max(covered, before)
        let share = last > start ? Double(last - start) / Double(last - before) : 0
        noteUncovered(byteCount: Int(share * Double(logByteCount)))
    }

    /// Counts an event. A few nanoseconds.
    func noteAppended(byteCount: Int) {
        uncoveredBytes.add(byteCount, ordering: .relaxed)
        if isPaused.load(ordering: .relaxed) { isPaused.store(false, ordering: .relaxed) }
    }

    /// Notes that nothing was written for a while: a smaller run is due then.
    func notePause() {
        isPaused.store(true, ordering: .relaxed)
    }

    /// Whether there is enough for a run.
    var isDue: Bool {
        let isPaused = isPaused.load(ordering: .relaxed)
        let wanted = isPaused ? RunPlan.logBytesMin : RunPlan.logBytesMinBusy
        return mayWrite && uncoveredBytes.load(ordering: .relaxed) >= wanted
    }

    /// Notes that a run has this much of the log.
    func noteCovered(byteCount: Int) {
        let left = uncoveredBytes.subtract(byteCount, ordering: .relaxed).newValue
        // It was an estimate.
        if left < 0 { noteUncovered(byteCount: 0) }
    }

    func noteUncovered(byteCount: Int) {
        uncoveredBytes.store(byteCount, ordering: .relaxed)
    }

    /// Another process may change the files, until `reload`.
    func suspend() {
        wasSuspended.store(true, ordering: .sequentiallyConsistent)
    }

    private var isSuspended: Bool { wasSuspended.load(ordering: .sequentiallyConsistent) }

    /// Changes no file from now on: the store is being closed, and another process may open it.
    func stop() {
        wasStopped.store(true, ordering: .sequentiallyConsistent)
    }

    /// Whether this process may change the store's files.
    var mayChangeFiles: Bool {
        mayWrite && !isSuspended && !wasStopped.load(ordering: .sequentiallyConsistent)
    }

    /// Reads the directory again before the next question: another process may have changed it.
    func reload() {
        abandonMerge()
        work.withLock { $0 = Work() }
        state.withLock { $0 = State() }
        wasSuspended.store(false, ordering: .sequentiallyConsistent)
    }

    /// The same, if more was written since than memory is used for: by now it has runs.
    func refresh() {
        state.withLock { state in
            if state.tail.isTooLarge { state = State() }
        }
    }

    /// The runs and what is missing between them, and the tail. The first call opens the runs, and
    /// the first one after the log was pruned.
    func current() -> (parts: [Part], tail: RunTail) {
        state.withLock { state in
            if state.first != log.firstSequence { load(&state) }
            return (state.parts, state.tail)
        }
    }

    /// Whether runs cover all events through `last` but a few: each question reads the others.
    func isQuick(through last: SequenceNumber) -> Bool {
        let (parts, tail) = current()
        var count = last.rawValue - min(tail.start.rawValue, last.rawValue)
        for case .missing(let range) in parts where range.lowerBound <= last.rawValue {
            count += min(range.upperBound, last.rawValue) - range.lowerBound + 1
        }
        return count <= Self.fewUncovered
    }

    private static let fewUncovered: UInt64 = 100_000

    /// The number of events through `last` that are read for the first question about them; nil if
    /// each question reads events for which there is no run.
    func firstQuestionCost(through last: SequenceNumber) -> Int? {
        let (parts, tail) = current()
        let hasGap = parts.contains { part in
            guard case .missing(let range) = part else { return false }
            return range.lowerBound <= last.rawValue
        }
        return hasGap || tail.isTooLarge ? nil : max(0, tail.start.distance(to: last))
    }

    /// Removes the runs that begin below the floor of the log. What they say of later events is
    /// answered by the log, until there are new ones.
    func forgetPruned() {
        abandonMerge()
        work.withLock { $0 = Work() }
        _ = current()
    }

    /// What the floor of the log says of a record, for an answer as of an event; nil if there is no
    /// floor, or no such record.
    ///
    /// - Throws: as `keptState(through:)`.
    func keptVersion(of key: HistoryKey, through last: SequenceNumber) throws -> RecordVersion? {
        let kept = try keptState(through: last)
        return key.id == nil ? nil : try kept?.version(of: key)
    }

    /// The state with which the history begins, for an answer as of an event; nil if the log was
    /// not pruned.
    ///
    /// - Throws: `StoreError` with `.belowFloor` if it is that after a later event.
    func keptState(through last: SequenceNumber) throws -> FloorState? {
        guard let file = log.floor else { return nil }
        guard file.head.sequence <= last.rawValue else {
            throw StoreError.belowFloor(
                "the state after event \(last) is not kept", EventReader(log).first)
        }
        return try floor.withLock { floor in
            if let floor, floor.sequence.rawValue == file.head.sequence { return floor }
            let opened = try FloorState(file)
            floor = opened
            return opened
        }
    }

    /// Replaces neighbouring parts by a run that covers the same events, or follows the last one.
    func put(_ run: HistoryRun) {
        state.withLock { state in
            guard state.first != nil else { return }
            let range = run.header.sequences
            let start =
                state.parts.firstIndex { $0.sequences.lowerBound >= range.lowerBound }
                ?? state.parts.count
            let covered = state.parts[start...].prefix { range.contains($0.sequences.lowerBound) }
            var parts: [Part] = [.run(run)]
            // A run may be made of the beginning of what is missing.
            if let end = covered.last?.sequences.upperBound, end > range.upperBound {
                parts.append(.missing(range.upperBound + 1...end))
            }
            state.parts.replaceSubrange(start..<covered.endIndex, with: parts)
            if range.upperBound > state.tail.start.rawValue {
                state.tail = RunTail(after: SequenceNumber(rawValue: range.upperBound))
            }
        }
    }

    /// Discards a run that cannot be read; the log answers instead.
    func remove(_ run: HistoryRun, because error: LogError) {
        let wasThere = state.withLock { state in
            let place = state.parts.firstIndex { part in
                if case .run(let other) = part { other === run } else { false }
            }
            guard let place else { return false }
            state.parts[place] = .missing(run.header.sequences)
            return true
        }
        guard wasThere else { return }
        discard(run.name, because: error)
        noteUncovered(byteCount: RunPlan.logBytesMinBusy)
    }
}

// MARK: - Opening

extension HistoryIndex {
    private func load(_ state: inout State) {
        let first = log.firstSequence
        for _ in 0..<Self.attemptsMax {
            state = State()
            state.first = first
            do {
                return try open(try RunName.list(on: disk), &state)
            } catch is Vanished {
                continue
            } catch {
                // The log answers.
                report(StoreError.wrapping(error))
                break
            }
        }
        state = State()
        state.first = first
        state.tail = RunTail(after: SequenceNumber(rawValue: first - 1))
    }

    /// How often the directory is listed if the writer removes runs, which it has merged, while
    /// they are opened.
    private static let attemptsMax = 10

    private struct Vanished: Error {}

    /// Opens the runs that cover the most, from the first event on, and removes what a crash has
    /// left: unfinished files, and runs that others cover.
    private func open(_ names: [RunName], _ state: inout State) throws {
        let first = state.first ?? 1
        let runs = names.filter { $0.kind == .run }
        var unusable = Set<RunName>()
        repeat {
            state.parts = []
            var next = first
            while let name = Self.best(in: runs, without: unusable, from: next) {
                let range = name.sequences
                guard let run = try openIfUsable(name) else {
                    // Its parts may be there yet.
                    unusable.insert(name)
                    break
                }
                if range.lowerBound > next {
                    state.parts.append(.missing(next...range.lowerBound - 1))
                }
                state.parts.append(.run(run))
                next = range.upperBound + 1
            }
            state.tail = RunTail(after: SequenceNumber(rawValue: next - 1))
        } while Self.best(in: runs, without: unusable, from: state.tail.start.rawValue + 1) != nil
        let used = state.parts.compactMap { part in
            if case .run(let run) = part { run.name } else { nil }
        }
        let hasPruned = runs.contains { $0.sequences.lowerBound < first }
        if used.count < state.parts.count || !unusable.isEmpty || hasPruned {
            noteUncovered(byteCount: RunPlan.logBytesMinBusy)
        }
        for name in names where !used.contains(name) && !unusable.contains(name) {
            removeLeftover(name)
        }
    }

    private func removeLeftover(_ name: RunName) {
        guard mayChangeFiles else { return }
        do throws(DiskError) {
            try disk.remove(name.path)
        } catch {
            // It stays until the next opening.
            report(StoreError(error))
        }
    }

    /// The run to use for the events from `next` on: the first one, and of those the longest. One
    /// that begins below the floor has what is no longer kept.
    private static func best(
        in runs: [RunName], without unusable: Set<RunName>, from next: UInt64
    ) -> RunName? {
        runs.filter { $0.sequences.lowerBound >= next && !unusable.contains($0) }.min { a, b in
            (a.sequences.lowerBound, b.sequences.upperBound)
                < (b.sequences.lowerBound, a.sequences.upperBound)
        }
    }

    /// Opens a run of this log; nil if it cannot be used.
    private func openIfUsable(_ name: RunName) throws(Vanished) -> HistoryRun? {
        do throws(LogError) {
            let run = try HistoryRun(name, on: disk, cache: cache)
            guard let isOwn = isOfThisLog(run) else { return nil }
            if isOwn {
                if run.header.times.fits(timeSpanMax) || !mayChangeFiles { return run }
                // Of a time without the limit: smaller ones are made.
                removeLeftover(name)
                return nil
            }
            throw LogError(
                .otherHistory, "it is not of the history that the log has", in: name.path)
        } catch {
            if error.cause?.isNotFound ?? false { throw Vanished() }
            discard(name, because: error)
            return nil
        }
    }

    /// Whether the log has the history that a run was made of; nil if the log cannot be read there,
    /// or does not know yet what another process has written.
    private func isOfThisLog(_ run: HistoryRun) -> Bool? {
        guard run.header.storeID == storeID else { return false }
        guard run.last <= log.head.sequence else { return isAhead(run) ? nil : false }
        do {
            let last = SequenceNumber(rawValue: run.last)
            return try EventReader(log).check(through: last) == run.header.chainHashAfter
        } catch {
            return nil
        }
    }

    /// Whether a run may be of events that another process has written since the store was
    /// suspended. No other run is ahead of the log.
    private func isAhead(_ run: HistoryRun) -> Bool { !mayWrite || isSuspended }

    /// Moves a run that is damaged, or of another history, to `quarantine/`; removes one of another
    /// format. After other errors, such as of reading, the file stays.
    private func discard(_ name: RunName, because error: LogError) {
        guard mayChangeFiles else { return }
        do {
            switch error.code {
            case .corrupt, .otherHistory:
                let path = try disk.setAside(name.path)
                report(StoreError.historyIndexFailed(error, "\(name.path) was moved to \(path)"))
            case .unsupportedFormat: try disk.remove(name.path)
            default: report(StoreError.historyIndexFailed(error, "\(name.path) was not used"))
            }
        } catch {
            report(StoreError.wrapping(error))
        }
    }
}

extension StoreError {
    /// The error of a run.
    fileprivate static func historyIndexFailed(_ error: LogError, _ what: String) -> StoreError {
        StoreError(
            .historyIndexFailed,
            "\(what): \(error.message). Nothing is lost: the log has all of it, and answers "
                + "until the run is made again",
            at: Place(file: error.file?.description, offset: error.offset),
            cause: error.cause?.description)
    }
}
