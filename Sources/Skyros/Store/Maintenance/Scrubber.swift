import SkyrosDisk
import SkyrosLog

/// Reads the sealed segments of an open store again, so that rot is found while a backup still has
/// the bytes: all of them within a week of use.
///
/// A round reads them from the first to the last, a part in each minute in which the store is open,
/// and continues where the last process ended. Six days after it began, the next one may begin.
///
/// It is responsible for the pace, the position and what is reported. It is not responsible for
/// the thread: `BackgroundMaintenance` calls it, one call at a time.
final class Scrubber: Sendable {
    private struct State: Sendable {
        /// Nil until the file was read.
        var kept: ScrubState?
        /// How many bytes may still be read in this minute.
        var allowance = 0
        /// What was reported by this process: each thing once.
        var reported: Set<Place> = []
        /// Whether the last step, or its file, has failed.
        var hasFailed = false
    }

    /// A piece of a segment.
    private struct Place: Hashable {
        let isStructure: Bool
        let sequence: UInt64
        let code: LogError.Code
    }

    private let segments: any SegmentedLog
    private let environment: Environment
    private let report: @Sendable (any Error) -> Void
    private let state = Locked(State())

    /// The time of a round, which leaves a day of the week for what a process did not get to.
    private static let roundMicroseconds: Int64 = 6 * 86_400 * 1_000_000
    /// The minutes of a round.
    private static let roundMinutes = 6 * 24 * 60
    /// What is read in a minute at least, so that a small store is done in one sitting.
    static let minuteBytesMin = 1 << 20
    /// What is read in one call, about, so that other work waits for no more.
    static let stepBytesMax = 1 << 20

    init(
        _ segments: any SegmentedLog, in environment: Environment,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.segments = segments
        self.environment = environment
        self.report = report
    }

    /// Allows what may be read in a minute of use; returns whether there is anything to read.
    func beginMinute() -> Bool {
        guard let extent = segments.sealedExtent else { return false }
        let now = environment.clock.nowMicroseconds()
        return state.withLock { state in
            state.allowance = Self.minuteBytes(of: extent.byteCount)
            return state.kept.map { $0.position != nil || Self.isDue($0, now) } ?? true
        }
    }

    /// What is read in a minute of sealed segments of this size.
    static func minuteBytes(of byteCount: Int) -> Int {
        max(minuteBytesMin, byteCount / roundMinutes + 1)
    }

    /// Reads one part; returns whether there is more to be read in this minute. Call it while
    /// nothing is sealed, and not under a lock of the log.
    func step() -> Bool {
        do {
            return try readNext()
        } catch {
            // The next minute tries again, with what another process may have kept meanwhile.
            state.withLock { ($0.allowance, $0.kept) = (0, nil) }
            reportIfNew(error)
            return false
        }
    }

    private func readNext() throws -> Bool {
        guard let extent = segments.sealedExtent else { return false }
        var (kept, allowance) = state.withLock { state in
            state.kept = state.kept ?? ScrubState(on: environment.disk) ?? ScrubState()
            return (state.kept ?? ScrubState(), state.allowance)
        }
        let now = environment.clock.nowMicroseconds()
        if kept.position == nil {
            guard Self.isDue(kept, now) else { return false }
            kept.position = 1
            kept.end = extent.lastSequence
            kept.startedAt = now
        }
        guard allowance > 0, let position = kept.position else { return false }
        let check = try segments.checkSealed(
            from: position, byteCountMax: min(allowance, Self.stepBytesMax))
        for piece in check.pieces {
            if let error = piece.error { reportOnce(error, of: piece) }
            kept.note(piece, at: now)
        }
        allowance -= check.byteCount
        kept.position = check.next.flatMap { $0 > kept.end ? nil : $0 }
        if kept.position == nil { kept.finishedAt = now }
        let goesOn = allowance > 0 && kept.position != nil
        state.withLock { [kept] state in
            state.kept = kept
            state.allowance = allowance
        }
        if !goesOn { save(kept) }
        return goesOn
    }

    /// Whether the next round may begin: also if the clock was set back.
    private static func isDue(_ kept: ScrubState, _ now: Int64) -> Bool {
        guard let start = kept.startedAt else { return true }
        let (elapsed, overflows) = now.subtractingReportingOverflow(start)
        return overflows || elapsed < 0 || elapsed >= roundMicroseconds
    }

    /// Writes the file. Without it, the next process begins the round anew.
    private func save(_ kept: ScrubState) {
        do {
            try kept.write(on: environment.disk)
            state.withLock { $0.hasFailed = false }
        } catch {
            reportIfNew(error)
        }
    }

    /// Reports what is wrong with a piece, once in this process.
    private func reportOnce(_ error: LogError, of piece: SealedCheck.Piece) {
        let key = Place(
            isStructure: piece.isStructure, sequence: piece.sequences.lowerBound, code: error.code)
        guard state.withLock({ $0.reported.insert(key).inserted }) else { return }
        let failure = StoreError(error)
        guard error.code != .io else { return report(failure) }
        var place = failure.place
        place.sequences = SequenceNumber.range(piece.sequences)
        report(
            StoreError(
                failure.code,
                "\(error.message); found by reading the log's sealed files again. Restore the file "
                    + "from a backup: docs/damage.md says how", at: place, cause: failure.cause))
    }

    /// Reports that nothing can be read or written, unless that is known, or is no fault: the store
    /// is suspended, or its files are protected while the phone is locked.
    private func reportIfNew(_ error: any Error) {
        let cause = error as? DiskError ?? (error as? LogError)?.cause
        if cause?.isSuspension ?? false || cause?.isRefusedAccess ?? false { return }
        if (error as? LogError)?.code == .suspended { return }
        let isKnown = state.withLock { state in
            defer { state.hasFailed = true }
            return state.hasFailed
        }
        if !isKnown { report(StoreError.wrapping(error)) }
    }
}
