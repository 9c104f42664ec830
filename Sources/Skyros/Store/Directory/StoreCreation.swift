import SkyrosDisk
import SkyrosLog

/// Decides whether a store may be created in a directory that holds no log.
///
/// A store is created only where nothing else is: in a new directory, or beside what an earlier
/// creation or salvage has left. Otherwise a wrong path would spread a store over other files, and
/// a store whose log was lost would be replaced by an empty one.
struct StoreCreation {
    let disk: any Disk

    /// What may be in a directory in which a store is created. `.DS_Store` is the Finder's.
    private static let harmless = StoreFileNames.checkpoints.union([
        "lock", "quarantine", "backups", "events", FormatNote.file.name, ".DS_Store",
        ErasureMarker.unfinished.name, DiskPath.serverMarker.name, DiskPath.unfinishedCopy.name,
        DiskPath.replacedHistory.name, DiskPath.unfinishedMark.name,
    ])
    /// The directories that only a store has.
    private static let storeParts: Set = [
        "tree", "history", "inbox", "forks", "shared.sqlite", "subscriptions", ScrubState.file.name,
    ]

    /// Throws if the directory holds other files and no segment. Call it before the lock is taken,
    /// which leaves a file.
    func checkBeforeLock() throws {
        let names = try StoreError.wrap(try disk.list(.root))
        // After the others: what another process creates meanwhile comes with a segment.
        let eventNames = try StoreError.wrap(try disk.list(.events))
        // The name of a segment begins with its first event.
        guard !eventNames.contains(where: { $0.first?.isNumber == true }) else { return }
        try check(names, eventNames)
    }

    /// Throws unless a store may be created. Call it under the lock, when there is no log.
    func check() throws {
        try check(
            StoreError.wrap(try disk.list(.root)), StoreError.wrap(try disk.list(.events)))
    }

    /// Throws if there is a checkpoint that cannot be used: it may be all that is left of a store.
    func check(_ checkpoint: RecoveryReport.Checkpoint) throws {
        guard case .rebuilt(let why) = checkpoint else { return }
        let size = try StoreError.wrap(try disk.status(of: .checkpoint)?.sizeBytes)
        guard size ?? 0 > 0 else { return }
        throw StoreError(
            .segmentMissing,
            "there is a checkpoint but no event, so the log is lost, and the checkpoint cannot be "
                + "used: \(why); restore the log, or move the checkpoint away to begin anew",
            at: StoreError.Place(file: DiskPath.checkpoint.name))
    }

    /// Throws if there are files that are not the store's.
    func checkHoldsOnlyOwnFiles() throws {
        let own = Self.harmless.union(Self.storeParts).union(["scrub.tmp"])
        let others = try StoreError.wrap(try disk.list(.root)).filter { !own.contains($0) }
        guard others.isEmpty else { throw occupied(by: others) }
    }

    private func check(_ names: [String], _ eventNames: [String]) throws {
        let others = names.filter { !Self.harmless.contains($0) }
        if let part = others.first(where: { Self.storeParts.contains($0) }) {
            throw StoreError(
                .segmentMissing,
                "there is \(part) of a store but no event, so the log is lost; restore events/",
                at: StoreError.Place(file: part))
        }
        if !others.isEmpty { throw occupied(by: others) }
        let foreign = eventNames.filter { SegmentName($0)?.kind != .temporary }
        if !foreign.isEmpty { throw occupied(by: foreign.map { "events/\($0)" }) }
    }

    private func occupied(by names: [String]) -> StoreError {
        let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " …" : "")
        return StoreError(
            .notAStore,
            "there is no store in the directory, and it holds other files (\(shown)); name a new "
                + "or an empty directory to create one", at: StoreError.Place(file: disk.systemPath)
        )
    }
}
