package import SkyrosDisk

extension DiskPath {
    static let checkpoint = DiskPath(.root, "checkpoint.sqlite")
    /// SQLite's journal of it, while it is written or after a crash.
    static let checkpointJournal = DiskPath(.root, "checkpoint.sqlite-journal")
    /// A new checkpoint that a rebuild is writing, under the store's lock.
    package static let unfinishedCheckpoint = DiskPath(.root, "checkpoint.tmp")
}

extension Disk {
    /// Removes what a rebuild left that was killed. Call it under the store's lock.
    func removeUnfinishedCheckpoint() throws(DiskError) {
        try remove(.unfinishedCheckpoint)
        try remove(DiskPath(.root, DiskPath.unfinishedCheckpoint.name + "-journal"))
    }

    /// Moves the checkpoint to the quarantine, where it replaces nothing; returns its new path.
    func setCheckpointAside() throws(DiskError) -> DiskPath {
        try makeDirectoryDurably(.quarantine)
        let taken = Set(try list(.quarantine))
        var number = 1
        while taken.contains("checkpoint-\(number).sqlite") { number += 1 }
        let target = DiskPath(.quarantine, "checkpoint-\(number).sqlite")
        try rename(.checkpoint, to: target)
        try remove(.checkpointJournal)
        try syncDirectory(.quarantine)
        try syncDirectory(.root)
        return target
    }
}
