import SkyrosLog
import SkyrosSQLite

/// The result of a verification.
public struct Verification: Hashable, Sendable {
    /// Whether there is no problem.
    public var ok: Bool { problems.isEmpty }
    /// The first event that the log keeps, or will hold: 1 unless its history was pruned.
    public internal(set) var firstSequence: SequenceNumber = 1
    /// The last event that could be reached.
    public internal(set) var sequence: SequenceNumber = .zero
    /// The digest of the state at that event.
    public internal(set) var digest: StateDigest?
    /// All problems, each with its place: first the damage of the log, which may cause others.
    public var problems: [String] { damages.map { StoreError($0).description } + otherProblems }
    /// The problems other than damage of the log.
    public internal(set) var otherProblems: [String] = []
    /// The damage of the log.
    public internal(set) var damages: [DamageReport.Damage] = []
    /// The rest of a write that a crash interrupted, if any. It is no problem: an opening sets it
    /// aside.
    public internal(set) var tornTail: DamageReport.Damage?

    /// Whether the log could be read at all. If not, as when a newer version wrote it, it was not
    /// verified.
    public internal(set) var isReadable = true

    init() {}

    /// The result for a log that cannot be opened.
    public init(problem: StoreError) {
        otherProblems = [problem.description]
        isReadable = false
    }

    fileprivate mutating func note(_ check: EventCheck) {
        otherProblems += check.problems
        if check.furtherCount > 0 {
            otherProblems.append("and \(check.furtherCount) further problems of events")
        }
    }
}

extension Archive {
    /// Reads everything and checks it: every checksum, the order of the sequences and times, that
    /// each event is in canonical form and fits the state before it, that the checkpoint is the
    /// fold of the log, that its typed columns show what its records hold, and that the runs of the
    /// history have the changes of the log.
    ///
    ///     let result = try Archive(at: url, reading: .upToDamage).verify()
    ///     for problem in result.problems { … }
    ///
    /// A checkpoint whose writing was interrupted is not compared: the next opening rolls it back.
    /// Verification continues after damage and names all of it. May be called from any thread.
    ///
    /// - Parameter progress: called after each record of the checkpoint, each event, and each
    ///   record of the digest.
    /// - Complexity: O(size of the store).
    public func verify(progress: (StoreProgress) -> Void = { _ in }) -> Verification {
        var result = Verification()
        let checkpoint = checkpointState(&result, progress)
        var keys = RowsDigest()
        var check = EventCheck(log.statedTimes, after: log.floor)
        var runs = RunChecks(of: self)
        do {
            var state = try historyReader.beginning()
            (result.firstSequence, result.sequence) = (firstSequence, state.sequence)
            if let checkpoint, let floor = try log.floor.map({ try FloorState($0) }) {
                for event in floor.keys.events
                where event.sequence > checkpoint.keys.bound.sequence { keys.add(event.sum) }
                if checkpoint.snapshot.sequence == floor.sequence {
                    try compare(checkpoint, with: state, keys, &result)
                }
            }
            try EventReader(log).forEachEncoded(from: firstSequence, through: sequence) {
                number, bytes, chainHash in
                let event = try EventCoding.event(from: bytes, expecting: number)
                check.check(event, bytes)
                var dirty = DirtyRows(isRecording: false)
                try Projector.apply(event, chainHash: chainHash, to: &state, marking: &dirty)
                runs.note(event, chainHash, leading: state)
                if let checkpoint, event.sequence <= checkpoint.snapshot.sequence {
                    if event.sequence > checkpoint.keys.bound.sequence,
                        let keyed = KeyedEvent(event)
                    {
                        keys.add(keyed.sum)
                    }
                    if event.sequence == checkpoint.snapshot.sequence {
                        try compare(checkpoint, with: state, keys, &result)
                    }
                }
                result.sequence = event.sequence
                progress(StoreProgress(.reading, event.sequence, of: sequence))
                return true
            }
            result.digest = try state.digest(progress)
        } catch {
            result.note(check)
            result.otherProblems += runs.problems
            let error = StoreError.wrapping(error)
            result.isReadable = error.code != .unsupportedFormat
            noteDamage(&result, instead: error)
            return result
        }
        result.note(check)
        result.otherProblems += runs.problems
        noteDamage(&result)
        return result
    }

    /// Adds all damage of the log to the result; also `error`, which stopped the fold, unless that
    /// damage explains it.
    private func noteDamage(_ result: inout Verification, instead error: StoreError? = nil) {
        var report = damage
        if report == nil, error != nil || (log as? LogFollower)?.endsTorn ?? false {
            // What cannot be read at all leaves the error that was met.
            report = (try? Self.scan(disk)).map { DamageReport($0) }
        }
        result.damages = report?.damages ?? []
        result.tornTail = report?.tornTail
        if let torn = report?.tornTail, torn.wholeEventCount > 0 {
            result.otherProblems.append(
                "\(torn.wholeEventCount) whole events follow the torn tail of \(torn.segment); "
                    + "opening the store cuts them off, `skyros salvage --after-gap` saves them")
        }
        let isExplained = !result.damages.isEmpty && error?.code != .invalidEvent
        if let error, !isExplained { result.otherProblems.append(error.description) }
    }

    /// What a checkpoint holds.
    private typealias CheckpointState = (snapshot: Snapshot, keys: StoredKeys)

    /// The state that the checkpoint holds, if there is one.
    private func checkpointState(
        _ result: inout Verification, _ progress: (StoreProgress) -> Void
    ) -> CheckpointState? {
        do {
            guard let checkpoint = try checkpoint(), let description = try checkpoint.description()
            else { return nil }
            let (position, rowCount) = (description.position, description.layout.rowCount)
            if !isOwn(position) {
                result.otherProblems.append("the checkpoint belongs to another store")
                return nil
            }
            if position.sequence > sequence.rawValue {
                if let lost = lostEvents(before: position) {
                    result.otherProblems.append(
                        "the checkpoint holds event \(position.sequence), "
                            + "the log ends at \(lost.lowerBound.rawValue - 1)")
                } else if scan?.damages.isEmpty == false {
                    result.otherProblems.append(
                        "the log can be read to event \(sequence) only, so the checkpoint at event "
                            + "\(position.sequence) was not compared")
                }
                return nil
            }
            let wrong = try checkpoint.firstWrongColumn {
                progress(StoreProgress(.comparing, $0, of: rowCount))
            }
            if let wrong {
                result.otherProblems.append(
                    "the checkpoint shows another value than the record holds: \(wrong.entity) "
                        + "\(wrong.id), column \(wrong.column); rebuild the checkpoint")
            }
            // A process that has the store open may have written a later one since.
            let loaded = try checkpoint.loadContent(into: empty) {
                progress(StoreProgress(.loading, $0, of: rowCount))
            }
            return loaded.map { ($0.snapshot, $0.description.keys) }
        } catch CheckpointError.unreadable(let error) where error.isUnfinishedTransaction {
            // A crash left it, and the next opening rolls it back.
            return nil
        } catch CheckpointError.olderFormat {
            // The next opening makes a new one from the log.
            return nil
        } catch {
            result.otherProblems.append(String(describing: StoreError.wrapping(error)))
            return nil
        }
    }

    private func compare(
        _ state: CheckpointState, with fold: Snapshot, _ keys: RowsDigest,
        _ result: inout Verification
    ) throws {
        let checkpoint = state.snapshot
        if state.keys.digest != keys {
            result.otherProblems.append(
                "the checkpoint has other idempotency keys than the log up to event "
                    + "\(fold.sequence); rebuild the checkpoint")
        }
        if checkpoint.chainHash != fold.chainHash {
            result.otherProblems.append(
                "the checkpoint and the log differ at or before event \(fold.sequence)")
        } else if checkpoint.time != fold.time {
            result.otherProblems.append(
                "the checkpoint has another time than event \(fold.sequence); "
                    + "rebuild the checkpoint")
        } else if try checkpoint.digest() != fold.digest() {
            result.otherProblems.append(
                "the checkpoint is not the fold of the log up to event \(fold.sequence)")
        }
    }
}
