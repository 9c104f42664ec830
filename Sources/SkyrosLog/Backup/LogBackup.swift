package import SkyrosDisk

/// Copies a log to another disk, again and again, beside its writer and without its lock.
///
/// The copy is a log like any other, and opens after a crash at any step: with all that it held
/// before, and perhaps more. Each update
/// 1. syncs the source's active segment, so that the copy never holds a batch that the source could
///    still lose;
/// 2. copies each sealed segment that the copy does not have, or has in smaller ones, as a file
///    (`LogBackup+Inserting`);
/// 3. appends the batches that are not sealed, in segments that begin where the source's do, and
///    syncs them;
/// 4. reads everything that it wrote again, and compares hashes and chain hash.
///
/// A sealed segment is kept if its name, size, last sequence and chain hash agree. The chain hash
/// at the end of the copy shows first whether the copy is of this history. One thread uses a
/// backup. The caller holds the lock of the copy.
package final class LogBackup {
    let source: any Disk
    let options: LogOptions
    let framing: PayloadFraming
    let entropy: any Entropy
    /// The segments of the source.
    var original: BackupSource
    /// The segments of the copy.
    var copy: BackupTarget
    var report = LogBackupReport()
    var progress = LogBackupProgress()
    /// The segments that the update has copied.
    var inserted: Set<SegmentName> = []

    /// How often an update begins anew that met files in the middle of a change, and has copied
    /// nothing since the attempt before.
    private static let attemptsMax = 20

    /// Opens the log on `source`, and the copy on `target`, which is repaired after a crash. A
    /// target without a log gets an empty one.
    ///
    /// - Parameter last: where the copy ends at most; nil for the source's end.
    /// - Throws: `LogError`, with `.otherHistory` if the copy is of another store, another history,
    ///   or ahead of `last`; it is unchanged then.
    package init(
        of source: any Disk, to target: any Disk, through last: UInt64?,
        framing: @escaping PayloadFraming, entropy: any Entropy
    ) throws(LogError) {
        self.source = source
        self.framing = framing
        self.entropy = entropy
        options = LogOptions()
        original = try BackupSource(source, options, framing)
        let found = try LogInspection(of: target, options, framing: framing)
        if found.catalog != nil {
            if let refusal = found.refusal { throw refusal }
            try original.check(found, through: last)
            copy = try BackupTarget(
                found, on: target, framing, unsyncedBytesMax: original.unsyncedBytesMax)
        } else {
            copy = try BackupTarget(
                beginning: original.firstHeader, after: original.catalog.floor, on: target, framing,
                salt: entropy.next(), unsyncedBytesMax: original.unsyncedBytesMax)
        }
    }

    /// The last batch of the copy.
    package var head: LogHead { copy.head }

    /// Whether the source has changed since the last update.
    ///
    /// - Throws: `LogError`, with `.otherHistory` if it was replaced by another log.
    package func hasNews() throws(LogError) -> Bool {
        try original.refresh()
    }

    /// Copies what the copy lacks.
    ///
    /// - Parameters:
    ///   - last: where the copy ends; nil for the source's end.
    ///   - verifiesKept: whether to read the sealed segments too that the copy has already; damaged
    ///     ones are copied again.
    ///   - progress: called from time to time.
    /// - Throws: `LogError`, with `.corrupt` and the like if the source is damaged, `.otherHistory`
    ///   if it was replaced by another log, of which nothing is copied then, `.diskFull`.
    package func update(
        through last: UInt64?, verifiesKept: Bool = false,
        progress notify: (LogBackupProgress) -> Void = { _ in }
    ) throws(LogError) -> LogBackupReport {
        report = LogBackupReport()
        inserted = []
        var isRepeated = false
        var attemptCount = 0
        while true {
            let copied = (report.copiedFiles, report.appendedBatches)
            attemptCount += 1
            do throws(LogError) {
                try original.refresh(wholly: isRepeated)
                try original.syncActive()
                try copy.allow(unsyncedBytes: original.unsyncedBytesMax)
                try updateOnce(through: last, verifiesKept, notify)
                break
            } catch {
                // A merge has replaced the file, or the writer has sealed the segment.
                let isGone = error.code == .segmentMissing || error.cause?.isNotFound == true
                // A writer with many small files may merge them as fast as they are copied here.
                if copied != (report.copiedFiles, report.appendedBatches) { attemptCount = 0 }
                guard isGone, attemptCount < Self.attemptsMax else { throw error }
                isRepeated = true
            }
        }
        report.head = copy.head
        return report
    }

    private func updateOnce(
        through last: UInt64?, _ verifiesKept: Bool, _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        let catalog = original.catalog
        let end = min(last ?? .max, catalog.lastSequence)
        let missing = catalog.sealed.filter { $0.lastSequence <= end && !copy.has($0) }
        progress.totalBytes = missing.reduce(0) { $0 + $1.byteCount }
        progress.totalBytes += catalog.openByteCount(after: copy.head.sequence)
        progress.copiedBytes = 0
        report.keptFiles = 0
        report.keptBytes = 0
        for segment in catalog.sealed where segment.lastSequence <= end {
            try take(segment, verifiesKept, notify)
        }
        try append(through: end, notify)
    }

    /// Copies a sealed segment, unless the copy has it.
    private func take(
        _ segment: SealedSegment, _ verifiesKept: Bool, _ notify: (LogBackupProgress) -> Void
    ) throws(LogError) {
        if copy.has(segment) {
            if !verifiesKept { return keep(segment) }
            do throws(LogError) {
                try SealedSegment(segment.name, on: copy.disk).verify(copy.format)
                return keep(segment)
            } catch {
                guard error.isDamage else { throw error }
            }
        }
        if copy.takes(segment) {
            try insert(segment, notify)
        } else if segment.lastSequence > copy.head.sequence {
            // The copy's own segments have other borders: it was opened as a store meanwhile.
            try append(through: segment.lastSequence, notify)
        }
    }

    private func keep(_ segment: SealedSegment) {
        guard !inserted.contains(segment.name) else { return }
        report.keptFiles += 1
        report.keptBytes += segment.byteCount
    }

    /// Marks the copy as closed in order.
    package func close() throws(LogError) {
        try copy.closeLog()
    }
}

/// What an update of a backup did.
package struct LogBackupReport: Equatable, Sendable {
    /// The end of the copy.
    package var head = LogHead(sequence: 0, chainHash: ChainHash(rawValue: 0))
    /// Sealed segments that were copied as files, and their bytes.
    package var copiedFiles = 0
    package var copiedBytes = 0
    /// Those of them that share their space with the source's files.
    package var sharedFiles = 0
    package var sharedBytes = 0
    /// Sealed segments that the copy had already.
    package var keptFiles = 0
    package var keptBytes = 0
    /// Batches that were appended because they are in no sealed segment.
    package var appendedBatches: UInt64 = 0
    package var appendedBytes = 0

    package init() {}
}

/// How far an update of a backup is.
package struct LogBackupProgress: Sendable {
    /// Bytes that were copied.
    package var copiedBytes = 0
    /// Bytes to copy, at most.
    package var totalBytes = 0
    /// The last batch of the copy.
    package var sequence: UInt64 = 0
}
