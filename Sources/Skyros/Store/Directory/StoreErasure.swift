import SkyrosDisk
import SkyrosLog

/// Erases a store's files: only those with names of ours, through no link, and never a directory
/// that holds anything else.
///
/// 1. `prepare`: check that every file is one that a store may have, and write the marker under
///    another name. Until here nothing means anything.
/// 2. `commit`: give the marker its name, `erasing`, durably. The store is erased now: whatever
///    comes next, an opening that finds the marker continues with step 3.
/// 3. `removeFiles`: remove the files, and sync the directories.
/// 4. `end`: remove the marker, durably. `nuke` creates the new log before it: a marker whose store
///    is not the one in the directory is out of date, and removed. `destroy` removes the lock, and
///    then the directory, after it.
///
/// All steps need the store's lock. After an error, the steps may be repeated from the first one,
/// unless a sync has failed: then the next opening repeats them.
struct StoreErasure {
    let disk: any Disk
    let marker: ErasureMarker

    init(_ marker: ErasureMarker, on disk: any Disk) {
        self.marker = marker
        self.disk = disk
    }

    /// Removes what is left of a store whose erasure was interrupted, and returns the erasure,
    /// which is to be ended; nil if there is none.
    static func continued(on disk: any Disk) throws -> StoreErasure? {
        guard let marker = try ErasureMarker.read(from: disk) else { return nil }
        let owners = try SegmentOwners.storeIDs(on: disk)
        let isOfThisStore = marker.storeID.map { owners.contains($0) } ?? false
        let erasure = StoreErasure(marker, on: disk)
        guard owners.isEmpty || isOfThisStore else {
            // Another store has begun here since.
            try erasure.end()
            return nil
        }
        try erasure.renewNames()
        try erasure.removeFiles()
        return erasure
    }

    /// - Throws: `DiskError`, with `.insecure` if a name of ours is that of a link, a directory or
    ///   another user's file; no file of the store was changed then.
    func prepare() throws(DiskError) {
        for path in try files() { _ = try disk.status(of: path) }
        try marker.prepare(on: disk)
    }

    func commit() throws(DiskError) {
        try ErasureMarker.commit(on: disk)
    }

    /// Removes the files, in an order in which a segment of the store's own id is the last one.
    func removeFiles() throws(DiskError) {
        for path in try files() { try disk.remove(path) }
        for directory in [Directory.subscriptions, .history, .events, .quarantine] {
            try removeIfEmpty(directory)
        }
        try disk.syncDirectory(.root)
    }

    func end() throws(DiskError) {
        try ErasureMarker.remove(from: disk)
    }

    /// Creates what may be missing only in the system's cache, to be removed again: an earlier
    /// process may have failed to sync the removal, and a sync that finds nothing to write proves
    /// nothing.
    private func renewNames() throws(DiskError) {
        try disk.makeDirectory(.events)
        let names = try Set(disk.list(.root))
        for name in StoreFileNames.root.subtracting(names).sorted() {
            try disk.createFile(DiskPath(.root, name)).close()
        }
    }

    /// The names are durable before the directory goes, in case it stays for another file's sake.
    private func removeIfEmpty(_ directory: Directory) throws(DiskError) {
        let isThere = try disk.list(.root).contains(directory.rawValue)
        guard isThere, directory != .quarantine || marker.includesQuarantine else { return }
        try disk.syncDirectory(directory)
        if try disk.list(directory).isEmpty { try disk.removeDirectory(directory) }
    }

    /// The store's files, apart from marker and lock.
    private func files() throws(DiskError) -> [DiskPath] {
        let root = try disk.list(.root).filter { StoreFileNames.root.contains($0) }
        var files = root.map { DiskPath(.root, $0) }
        files += try RunName.list(on: disk).map(\.path)
        for name in try disk.list(.subscriptions) where PositionFiles.isOurs(name) {
            files.append(DiskPath(.subscriptions, name))
        }
        for name in try disk.list(.events) where SegmentName(name) != nil {
            files.append(DiskPath(.events, name))
        }
        guard marker.includesQuarantine else { return files }
        for name in try disk.list(.quarantine) where StoreFileNames.isQuarantined(name) {
            files.append(DiskPath(.quarantine, name))
        }
        return files
    }
}
