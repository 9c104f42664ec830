import SkyrosDisk

extension DiskPath {
    /// A new checkpoint that a rebuild is writing, under the store's lock.
    static let unfinishedCheckpoint = DiskPath(.root, "checkpoint.tmp")
}

extension Disk {
    /// Removes what a rebuild left that was killed. Call it under the store's lock.
    func removeUnfinishedCheckpoint() throws(DiskError) {
        try remove(.unfinishedCheckpoint)
        try remove(DiskPath(.root, DiskPath.unfinishedCheckpoint.name + "-journal"))
    }
}
