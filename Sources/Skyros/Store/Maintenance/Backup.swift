package import Foundation
package import SkyrosDisk
import SkyrosLog

/// A copy of a store that is being brought up to date, once or again and again.
///
/// It holds the lock of the copy until `close`, and none of the store. One thread uses it; after an
/// error it is only closed.
package final class Backup {
    private let log: LogBackup
    private let positions: (source: PositionFiles, copy: PositionFiles)
    /// The positions of the store that were copied last.
    private var copiedPositions: [String: SubscriptionPosition]?
    private let lock: any DiskLock
    /// Where the copy ends; nil for the store's end.
    private let last: UInt64?

    /// The interval at which a copy that follows its store checks for changes: a part of the second
    /// that it may be behind.
    package static let pollMilliseconds = 100

    /// Opens the copy in `directory`, or creates it.
    ///
    /// - Throws: `StoreError` with `.historyChanged` if the directory holds a store that is no
    ///   earlier copy of this one, which is unchanged then; `.invalidInput` if it is in the store;
    ///   `.notAStore` if it holds other files; `.alreadyOpen` if another process has the copy open.
    package convenience init(
        of source: any Disk, to directory: URL, through last: SequenceNumber? = nil
    ) throws {
        let path = directory.path(percentEncoded: false)
        if Archive.lies(directory, in: source) {
            throw StoreError(.invalidInput, "\(path) is in the store; name another place")
        }
        let target = try StoreDirectory.disk(at: directory, creating: true)
        try self.init(of: source, onto: Environment(disk: target), through: last)
    }

    package init(
        of source: any Disk, onto target: Environment, through last: SequenceNumber? = nil
    ) throws {
        self.last = last?.rawValue
        let disk = target.disk
        try ErasureMarker.checkIsMissing(on: disk)
        try StoreCreation(disk: disk).checkBeforeLock()
        let lock = try StoreError.wrap(try disk.lock())
        do {
            try Self.checkIsCopyOrEmpty(disk)
            log = try LogBackup(
                of: source, to: disk, through: last?.rawValue,
                framing: EventCoding.byteCount(of:), entropy: target.entropy)
            if disk.databaseDirectory != nil { FormatNote.restore(on: disk) }
        } catch {
            lock.release()
            throw StoreError.wrapping(error)
        }
        self.lock = lock
        positions = (PositionFiles(on: source), PositionFiles(on: disk))
    }

    deinit {
        lock.release()
    }

    /// Throws if the directory holds no log, but what is left of a store, or other files.
    private static func checkIsCopyOrEmpty(_ disk: any Disk) throws {
        let names = try StoreError.wrap(try disk.list(.events)).compactMap { SegmentName($0) }
        guard !names.contains(where: { $0.kind != .temporary }) else { return }
        try StoreCreation(disk: disk).check()
        let size = try StoreError.wrap(try disk.status(of: .checkpoint)?.sizeBytes)
        guard size ?? 0 > 0 else { return }
        throw StoreError(
            .segmentMissing,
            "there is a checkpoint but no event, so the log of a store is lost; name another place",
            at: StoreError.Place(file: DiskPath.checkpoint.name))
    }

    /// Copies what the copy lacks.
    ///
    /// - Parameter verifiesKept: whether to read also what the copy has already; damaged files are
    ///   copied again.
    package func update(
        verifyingKept verifiesKept: Bool = false, progress: (BackupProgress) -> Void = { _ in }
    ) throws -> BackupReport {
        // Before the events: a position is never ahead of the durable log.
        let names = try positions.source.names()
        let found = try positions.source.readable()
        let report = try StoreError.wrap {
            try log.update(through: last, verifiesKept: verifiesKept) {
                progress(BackupProgress($0))
            }
        }
        try positions.copy.update(
            to: found, of: names, inLogThrough: SequenceNumber(rawValue: report.head.sequence),
            report.head.chainHash)
        copiedPositions = found
        return BackupReport(report)
    }

    /// Whether the store has changed since the last update. Reads the names of its files, the new
    /// part of the active segment, and the positions of subscriptions.
    package func hasNews() throws -> Bool {
        try StoreError.wrap(try log.hasNews()) || positions.source.readable() != copiedPositions
    }

    /// Marks the copy as closed in order, and releases it.
    package func close() throws {
        defer { lock.release() }
        try StoreError.wrap(try log.close())
    }

    /// Opens the copy, updates it, and closes it.
    static func run(
        of source: any Disk, to directory: URL, through last: SequenceNumber? = nil,
        verifyingKept: Bool = false, _ progress: (BackupProgress) -> Void
    ) throws -> BackupReport {
        let backup = try Backup(of: source, to: directory, through: last)
        let report: BackupReport
        do {
            report = try backup.update(verifyingKept: verifyingKept, progress: progress)
        } catch {
            // The first error counts.
            try? backup.close()
            throw error
        }
        try backup.close()
        return report
    }
}
