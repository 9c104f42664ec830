import SkyrosLog

/// The result of a backup: how far the copy goes, and what was written.
///
///     let report = try store.backup(to: url)
///     print(report.sequence, report.copiedBytes, report.keptBytes)
///
/// Sizes are bytes. A value of the moment when the backup ended.
public struct BackupReport: Hashable, Sendable {
    /// The last event of the copy, which holds all events before it too.
    public let sequence: SequenceNumber
    /// The chain hash through that event. Equal ones of two stores show equal histories.
    public let chainHash: UInt64
    /// The sealed segments that were copied, as files.
    public let copiedFiles: Int
    /// Their size.
    public let copiedBytes: Int
    /// Those of the copied files that share their disk space with the originals (reflinks).
    public let sharedFiles: Int
    /// Their size.
    public let sharedBytes: Int
    /// The sealed segments that the copy had already.
    public let keptFiles: Int
    /// Their size.
    public let keptBytes: Int
    /// The events that were appended because they are in no sealed segment yet.
    public let appendedEvents: Int
    /// Their size.
    public let appendedBytes: Int

    init(_ report: LogBackupReport) {
        sequence = SequenceNumber(rawValue: report.head.sequence)
        chainHash = report.head.chainHash.rawValue
        copiedFiles = report.copiedFiles
        copiedBytes = report.copiedBytes
        sharedFiles = report.sharedFiles
        sharedBytes = report.sharedBytes
        keptFiles = report.keptFiles
        keptBytes = report.keptBytes
        appendedEvents = Int(report.appendedBatches)
        appendedBytes = report.appendedBytes
    }
}

/// How far a backup is.
public struct BackupProgress: Hashable, Sendable {
    /// The last event of the copy so far.
    public let sequence: SequenceNumber
    /// Bytes that were copied.
    public let copiedBytes: Int
    /// Bytes to copy, about.
    public let totalBytes: Int

    init(_ progress: LogBackupProgress) {
        sequence = SequenceNumber(rawValue: progress.sequence)
        copiedBytes = progress.copiedBytes
        totalBytes = progress.totalBytes
    }
}
