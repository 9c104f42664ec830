public import Foundation
import SkyrosDisk
import SkyrosLog

extension Archive {
    /// Writes the state at a moment to a new SQLite database, in the format of a checkpoint.
    ///
    /// - Parameters:
    ///   - moment: nil for the last event.
    ///   - file: the database; it must not exist yet.
    ///   - progress: called after each event.
    /// - Returns: the state that was written.
    /// - Throws: `StoreError` with `.invalidInput` if the file exists, `.checkpointFailed`.
    @discardableResult
    public func writeCheckpoint(
        asOf moment: Moment? = nil, to file: URL, progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        let path = file.path(percentEncoded: false)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.invalidInput, "\(path) exists already; remove it or name another")
        }
        var rows = DirtyRows()
        let snapshot = try historyReader.snapshot(
            asOf: moment ?? .sequence(sequence), marking: &rows, progress: progress)
        let directory = file.deletingLastPathComponent().resolvingSymlinksInPath()
        do {
            try write(
                snapshot, rows, to: DatabaseDirectory(path: directory.path(percentEncoded: false)),
                file.lastPathComponent)
        } catch {
            // An incomplete file is useless. The first error counts.
            for part in [path, path + "-journal"] {
                try? FileManager.default.removeItem(atPath: part)
            }
            throw error
        }
        return snapshot
    }

    private func write(
        _ snapshot: Snapshot, _ rows: DirtyRows, to directory: DatabaseDirectory, _ name: String
    ) throws {
        do {
            let checkpointer = Checkpointer(in: directory, name, storeID: log.storeID.bytes)
            try checkpointer.write(snapshot, rows)
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
    /// log durable first.
    ///
    /// - Parameter progress: called after each event.
    /// - Throws: `StoreError` with `.alreadyOpen`, `.checkpointFailed`; the first damage, if the
    ///   archive reads up to it, as nothing in a damaged store is replaced.
    @discardableResult
    public func rebuildCheckpoint(
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> Snapshot {
        if let damage = damage?.damages.first { throw StoreError(damage) }
        guard let directory = disk.databaseDirectory else {
            throw StoreError(.checkpointFailed, "a store in memory has no checkpoint")
        }
        return try StoreError.wrap(try disk.lock()).use {
            let temporary = DiskPath(.root, "checkpoint.tmp")
            try StoreError.wrap {
                try disk.remove(temporary)
                try makeLogDurable()
            }
            _ = try refresh()
            var rows = DirtyRows()
            let snapshot = try historyReader.snapshot(
                asOf: .sequence(sequence), marking: &rows, progress: progress)
            try write(snapshot, rows, to: directory, temporary.name)
            try StoreError.wrap {
                // SQLite must not apply the journal of the old file to the new one.
                try disk.remove(DiskPath(.root, "checkpoint.sqlite-journal"))
                try disk.syncDirectory(.root)
                try disk.rename(temporary, to: DiskPath(.root, "checkpoint.sqlite"))
                try disk.syncDirectory(.root)
            }
            return snapshot
        }
    }

    /// Syncs what a writer that died has left unsynced, so that no checkpoint is ever ahead of the
    /// durable log (promise P7).
    private func makeLogDurable() throws(DiskError) {
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
    fileprivate func use<R>(_ body: () throws -> R) throws -> R {
        defer { release() }
        return try body()
    }
}
