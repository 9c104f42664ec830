import Foundation
import Skyros

extension Archive {
    /// The state at a moment, or the newest one; updates the bar, whose step is `.reading`.
    func state(asOf moment: MomentArgument?, _ bar: ProgressBar) throws -> Snapshot {
        guard let moment = try moment?.moment(in: self) else {
            return try newestSnapshot { bar.update(.reading, $0, of: $1) }
        }
        return try nearestSnapshot(asOf: moment) { bar.update(.reading, $0, of: $1) }
    }

    /// The state at a moment in the newest shapes, or as it is stored with `--stored`.
    func state(
        asOf moment: MomentArgument?, _ arguments: Arguments, _ bar: ProgressBar
    ) throws -> Snapshot {
        try Self.shown(try state(asOf: moment, bar), arguments)
    }

    /// The state at a time in the order in which things happened, as it was known at a moment, in
    /// the shapes as above. Changes that did not fit are listed as warnings.
    func state(
        occurred time: EventTime, knownAt moment: MomentArgument?, _ arguments: Arguments,
        _ bar: ProgressBar
    ) throws -> Snapshot {
        let moment = try moment?.moment(in: self)
        let total = eventCount(through: moment)
        let found = try snapshot(occurred: time, knownAt: moment) {
            bar.update(.reading, $0.rawValue, of: total)
        }
        for misfit in found.misfits { ErrorOutput.error("note: \(misfit)") }
        return try Self.shown(found.snapshot, arguments)
    }

    static func shown(_ stored: Snapshot, _ arguments: Arguments) throws -> Snapshot {
        if arguments.has("stored") { return stored }
        let evolved = try EvolvedState(stored)
        warn(of: evolved)
        return evolved.state
    }

    /// The changes of a record in the newest shape, or as they are stored with `--stored`.
    func history(
        of entity: String, _ id: RecordID, _ arguments: Arguments,
        progress: (SequenceNumber) -> Void
    ) throws -> [HistoryEntry] {
        let stored = try history(of: entity, id, progress: progress)
        if arguments.has("stored") { return stored }
        let (entries, heldBackCount) = try evolved(stored, of: entity)
        if heldBackCount > 0 {
            ErrorOutput.error(
                "note: \(heldBackCount) changes are shown in an older shape: a closure of the app "
                    + "leads to the newest one, or a step failed")
        }
        return entries
    }

    /// Says which records are shown in an older shape.
    static func warn(of evolved: EvolvedState?) {
        for (entity, count) in evolved?.heldBack ?? [:] {
            ErrorOutput.error(
                "note: \(count) records of \(entity) are shown in an older shape: a closure of the "
                    + "app leads to the newest one, or a step failed")
        }
    }

    /// Runs `body`, which reads the events up to a moment and reports its progress.
    func withBar<R>(
        through moment: Moment? = nil, _ body: ((SequenceNumber) -> Void) throws -> R
    ) rethrows -> R {
        let bar = ProgressBar(ProgressBar.Step(.reading))
        defer { bar.finish() }
        let total = eventCount(through: moment)
        return try body { bar.update(.reading, $0.rawValue, of: total) }
    }

    /// Opens the store to read it as of a moment: damage after it is no obstacle. The newest one,
    /// and one that is counted from it, need the whole log.
    static func opened(at store: URL, for moment: MomentArgument?) throws -> Archive {
        switch moment {
        case .sequence(let sequence): try reading(asOf: .sequence(sequence), at: store)
        case .time(let time): try reading(asOf: .date(time.date), at: store)
        case .back, nil: try Archive(at: store)
        }
    }

    /// Writes a warning if the log has lost events that the checkpoint holds.
    func warnOfLostEvents() {
        guard let lost = lostEvents else { return }
        ErrorOutput.error(
            "warning: the log ends at event \(sequence), and the checkpoint holds event "
                + "\(lost.upperBound): \(DamageText.line(lost)) of the log are lost; "
                + "`skyros salvage --from-checkpoint` saves the records")
    }

    /// Runs `body`, which reads the events up to a moment, writes a checkpoint and reports its
    /// progress.
    func withCheckpointBar<R>(
        _ bar: ProgressBar, through moment: Moment?,
        _ body: ((CheckpointProgress) -> Void) throws -> R
    ) rethrows -> R {
        let eventCount = eventCount(through: moment)
        return try body { step in
            switch step {
            case .began: break
            case .read(let event): bar.update(.reading, event.rawValue, of: eventCount)
            case .wrote(let count, let total): bar.update(.writing, count, of: total)
            }
        }
    }

    /// Writes a checkpoint to a file that appears when it is complete.
    func writeNewCheckpoint(
        asOf moment: Moment?, to url: URL, progress: (CheckpointProgress) -> Void
    ) throws -> Snapshot {
        try NewFile.writeFile(at: url) { file in
            try writeCheckpoint(asOf: moment, to: file, progress: progress)
        }
    }
}
