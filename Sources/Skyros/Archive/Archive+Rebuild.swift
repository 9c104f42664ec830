public import Foundation
import SkyrosDisk
import SkyrosLog

/// How far the writing of a checkpoint is.
public enum CheckpointProgress: Hashable, Sendable {
    /// The temporary file was created; nothing is in it yet.
    case began
    /// This event was read.
    case read(SequenceNumber)
    /// That many of all records were written.
    case wrote(Int, of: Int)
}

extension Archive {
    /// Writes the state at a moment to a new SQLite database, in the format of a checkpoint. Only
    /// this user may read it.
    ///
    /// - Parameters:
    ///   - moment: nil for the last event.
    ///   - file: the database; it must not exist yet.
    ///   - progress: called after each event and each record.
    /// - Returns: the state that was written.
    /// - Throws: `StoreError` with `.invalidInput` if the file exists, `.checkpointFailed`.
    @discardableResult
    public func writeCheckpoint(
        asOf moment: Moment? = nil, to file: URL,
        progress: (CheckpointProgress) -> Void = { _ in }
    ) throws -> Snapshot {
        let path = file.path(percentEncoded: false)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.invalidInput, "\(path) exists already; remove it or name another")
        }
        let content = try checkpointContent(asOf: moment ?? .sequence(sequence), progress)
        let directory = file.deletingLastPathComponent().resolvingSymlinksInPath()
        do {
            Self.createPrivateFile(path)
            progress(.began)
            try write(
                content, to: DatabaseDirectory(path: directory.path(percentEncoded: false)),
                file.lastPathComponent, progress)
        } catch {
            // An incomplete file is useless. The first error counts.
            for part in [path, path + "-journal"] {
                try? FileManager.default.removeItem(atPath: part)
            }
            throw error
        }
        return content.snapshot
    }

    /// What a checkpoint holds.
    private struct CheckpointContent {
        let snapshot: Snapshot
        let rows: DirtyRows
        let keys: IdempotencyKeys
    }

    /// What the checkpoint of the state at a moment holds.
    ///
    /// It has the keys of the standard window. A store with a longer one reads the older keys from
    /// the log.
    private func checkpointContent(
        asOf moment: Moment, _ progress: (CheckpointProgress) -> Void
    ) throws -> CheckpointContent {
        var rows = DirtyRows()
        var keys = KeyTable()
        let window = KeyWindow(KeyWindow.standard)
        if let floor = log.floor { keys = try FloorState(floor).keys }
        let snapshot = try historyReader.snapshot(asOf: moment, marking: &rows) { event in
            window.note(event, in: &keys)
            progress(.read(event.sequence))
        }
        return CheckpointContent(
            snapshot: snapshot, rows: rows, keys: IdempotencyKeys(keys, window))
    }

    /// Creates an empty file with permissions for this user only, which SQLite then keeps, also for
    /// its journal. SQLite reports why that fails.
    private static func createPrivateFile(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private func write(
        _ content: CheckpointContent, to directory: DatabaseDirectory, _ name: String,
        _ progress: (CheckpointProgress) -> Void, keepingNamesOf old: TableLayout? = nil
    ) throws {
        do {
            let checkpointer = Checkpointer(
                in: directory, name, storeID: log.storeID.bytes, isNew: true)
            checkpointer.keepNames(of: old)
            let total = content.snapshot.recordCount
            try checkpointer.write(content.snapshot, content.rows, content.keys) {
                progress(.wrote($0, of: total))
            }
            try checkpointer.close()
        } catch let error as CheckpointError {
            throw StoreError(error, in: name)
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Replaces the store's checkpoint by a new one, made from the log only.
    ///
    /// It takes the store's lock, so no process may have the store open for writing. It makes the
    /// log durable first. The old file is dropped if it is an earlier state of this log, and moved
    /// to `quarantine/` if it is damaged, or of another store or history.
    ///
    /// - Parameter progress: called when the temporary file `checkpoint.tmp` exists, after each
    ///   event and each record.
    /// - Throws: `StoreError` with `.alreadyOpen`, `.checkpointFailed`; `.logBehindCheckpoint` if
    ///   the old checkpoint holds what the log has lost, `.unsupportedFormat` if a newer version
    ///   wrote it; the first damage, if the archive reads up to it, as nothing in a damaged store
    ///   is replaced.
    @discardableResult
    public func rebuildCheckpoint(
        progress: (CheckpointProgress) -> Void = { _ in }
    ) throws -> Snapshot {
        try rebuildCheckpoint(creating: { try $0() }, progress: progress)
    }

    /// The same; `creating` must call its argument, which creates the temporary file.
    package func rebuildCheckpoint(
        creating: (() throws -> Void) throws -> Void, progress: (CheckpointProgress) -> Void
    ) throws -> Snapshot {
        if let damage = damage?.damages.first { throw StoreError(damage) }
        guard let directory = disk.databaseDirectory else {
            throw StoreError(.checkpointFailed, "a store in memory has no checkpoint")
        }
        return try StoreError.wrap(try disk.lock()).use {
            try StoreError.wrap {
                try disk.removeUnfinishedCheckpoint()
                try makeLogDurable()
            }
            _ = try refresh()
            let isOldKept = try mustKeepCheckpoint(in: directory)
            try creating {
                try StoreError.wrap { try disk.createFile(.unfinishedCheckpoint).close() }
            }
            do {
                progress(.began)
                let snapshot = try writeUnfinishedCheckpoint(to: directory, progress)
                try StoreError.wrap {
                    if isOldKept { _ = try disk.setCheckpointAside() }
                    // SQLite must not apply the journal of the old file to the new one.
                    try disk.remove(.checkpointJournal)
                    try disk.syncDirectory(.root)
                    try disk.rename(.unfinishedCheckpoint, to: .checkpoint)
                    try disk.syncDirectory(.root)
                }
                return snapshot
            } catch {
                // The first error counts.
                try? disk.removeUnfinishedCheckpoint()
                throw error
            }
        }
    }

    /// Whether the checkpoint that a rebuild replaces is set aside: the log cannot make it again.
    ///
    /// - Throws: `StoreError` with `.logBehindCheckpoint` if it holds what the log has lost,
    ///   `.unsupportedFormat` if a newer version wrote it, `.checkpointBusy`.
    private func mustKeepCheckpoint(in directory: DatabaseDirectory) throws -> Bool {
        guard try StoreError.wrap(try disk.status(of: .checkpoint)) != nil else { return false }
        let old = Checkpointer(
            in: directory, DiskPath.checkpoint.name, storeID: log.storeID.bytes)
        // An error on closing a file that was only read changes nothing.
        defer { try? old.close() }
        do {
            guard let position = try old.position() else { return false }
            guard position.storeID == log.storeID.bytes else { return true }
            try position.compare(with: log)
            return false
        } catch let error as CheckpointError {
            if case .newerFormat = error { throw StoreError(error) }
            if error.isBusy { throw StoreError(error) }
            return true
        } catch let error as StoreError where error.code == .chainBroken {
            return true
        }
    }

    private func writeUnfinishedCheckpoint(
        to directory: DatabaseDirectory, _ progress: (CheckpointProgress) -> Void
    ) throws -> Snapshot {
        let content = try checkpointContent(asOf: .sequence(sequence), progress)
        try write(
            content, to: directory, DiskPath.unfinishedCheckpoint.name, progress,
            keepingNamesOf: try? checkpoint()?.layout)
        return content.snapshot
    }

    /// Syncs what a writer that died has left unsynced, so that no checkpoint is ever ahead of the
    /// durable log (promise P7).
    func makeLogDurable() throws(DiskError) {
        let names = try disk.list(.events).compactMap { SegmentName($0) }
        for name in names where name.kind == .open {
            let file = try disk.open(name.path, .readWrite)
            do throws(DiskError) {
                try file.sync()
            } catch {
                // The first error counts.
                try? file.close()
                throw error
            }
            try file.close()
        }
        try disk.syncDirectory(.events)
        try disk.syncDirectory(.root)
    }
}

extension DiskLock {
    /// Runs `body` and releases the lock.
    func use<R>(_ body: () throws -> R) throws -> R {
        defer { release() }
        return try body()
    }
}
