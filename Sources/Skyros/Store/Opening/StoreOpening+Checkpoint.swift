import SkyrosDisk
import SkyrosLog

/// Decides at an opening whether the checkpoint is loaded, set aside, or a reason to refuse.
///
/// | the checkpoint is | then |
/// |---|---|
/// | missing | the log is folded from its first event |
/// | locked by another connection for 5 seconds | left as it is, the log is folded, reported |
/// | unreadable, damaged, of an earlier format, another store's | set aside, rebuilt, reported |
/// | older than the floor of a pruned log | set aside, rebuilt, reported |
/// | of a newer format | refused, `.unsupportedFormat` |
/// | at an event with another history | refused, `.chainBroken` |
/// | ahead of the log | refused, `.logBehindCheckpoint`: the log lost something |
struct CheckpointOpening {
    let disk: any Disk
    let storeID: StoreID
    private(set) var outcome = RecoveryReport.Checkpoint.none
    /// What the checkpoint that was loaded holds of projections.
    private(set) var projections: [StoredProjection] = []
    /// Writes the store's checkpoints; nil on disks that SQLite cannot reach.
    private(set) var checkpointer: Checkpointer?

    private let isOfCopy: Bool

    /// - Parameter isOfCopy: whether the log is the copy of a server's, so that a checkpoint of
    ///   another history is no sign of a loss.
    init(_ environment: Environment, storeID: StoreID, isOfCopy: Bool = false) {
        self.isOfCopy = isOfCopy
        disk = environment.disk
        self.storeID = storeID
        checkpointer = disk.databaseDirectory.map { directory in
            Checkpointer(
                in: directory, DiskPath.checkpoint.name, storeID: storeID.bytes,
                lockTimeoutMilliseconds: environment.lockTimeoutMilliseconds)
        }
    }

    /// Looks at the checkpoint of a store that was suspended.
    init(_ checkpointer: Checkpointer, on disk: any Disk, storeID: StoreID) {
        isOfCopy = false
        self.disk = disk
        self.storeID = storeID
        self.checkpointer = checkpointer
    }

    /// The state at which the fold of the log begins: the checkpoint's, or the empty one.
    ///
    /// - Parameter keys: then the checkpoint's, or none.
    mutating func load(
        into empty: Snapshot, _ log: LogInspection, _ keys: inout KeyTable
    ) throws -> Snapshot {
        keys = KeyTable()
        checkpointer?.noteEmpty()
        guard let checkpointer, try exists() else { return empty }
        do {
            return try load(checkpointer, into: empty, log, &keys)
        } catch let error as StoreError where isOfCopy && Self.isOfOtherHistory(error) {
            outcome = .rebuilt(because: error.message)
            return empty
        } catch let error as CheckpointError {
            if case .newerFormat = error {
                throw StoreError(
                    .unsupportedFormat, "\(error) Nothing was changed.",
                    at: StoreError.Place(file: DiskPath.checkpoint.name))
            }
            if case .directoryMoved = error { throw StoreError(error) }
            if error.isBusy {
                outcome = .busy
                return empty
            }
            // Without a log, the file may be all that is left of a store, and whole.
            if case .unreadable = error, log.storeID == nil {
                throw StoreError(
                    .io, "\(error) There is no log: nothing was changed.",
                    at: StoreError.Place(file: DiskPath.checkpoint.name))
            }
            outcome = .rebuilt(because: error.description)
            return empty
        }
    }

    private static func isOfOtherHistory(_ error: StoreError) -> Bool {
        [.chainBroken, .logBehindCheckpoint].contains(error.code)
    }

    private mutating func load(
        _ checkpointer: Checkpointer, into empty: Snapshot, _ log: LogInspection,
        _ keys: inout KeyTable
    ) throws -> Snapshot {
        guard let position = try checkpointer.position() else { return empty }
        guard position.storeID == storeID.bytes || log.storeID == nil else {
            outcome = .rebuilt(because: "it belongs to another store")
            return empty
        }
        guard position.sequence + 1 >= log.firstSequence else {
            outcome = .rebuilt(because: "it is older than the first event that the log keeps")
            return empty
        }
        try position.compare(with: log)
        let eventCount = Int(log.head.sequence - position.sequence)
        guard
            let loaded = try checkpointer.loadContent(into: empty, beforeEvents: eventCount)
        else { return empty }
        let snapshot = loaded.snapshot
        keys = loaded.keys
        projections = loaded.projections
        outcome = .loaded(snapshot.sequence)
        return snapshot
    }

    /// Lets the first checkpoint replace one that was locked and could not be compared, if it is
    /// an earlier one of the same history.
    func compareLater(with log: any LogReader) {
        guard outcome == .busy else { return }
        checkpointer?.replaceAll { [storeID] position in
            guard position.storeID == storeID.bytes else {
                throw StoreError(
                    .checkpointFailed, "the checkpoint belongs to another store; remove it",
                    at: StoreError.Place(file: DiskPath.checkpoint.name))
            }
            try position.compare(with: log)
        }
    }

    /// Creates an empty file with permissions for this user only, which SQLite then keeps. Removes
    /// the temporary one of a rebuild that was killed.
    func makeFileIfMissing() throws {
        if checkpointer != nil { try StoreError.wrap(try disk.removeUnfinishedCheckpoint()) }
        guard checkpointer != nil, try !exists() else { return }
        try StoreError.wrap(try disk.createFile(.checkpoint).close())
    }

    /// Moves a checkpoint that cannot be used to the quarantine; returns its new path.
    mutating func setAsideIfUseless() throws -> [String] {
        guard case .rebuilt = outcome else { return [] }
        if let checkpointer, (try? checkpointer.position())?.storeID == storeID.bytes {
            checkpointer.keepNames(of: checkpointer.layout)
        }
        // The file is set aside: an error on closing it changes nothing.
        try? checkpointer?.close()
        return [try StoreError.wrap(try disk.setCheckpointAside()).description]
    }

    private func exists() throws -> Bool {
        try StoreError.wrap(try disk.status(of: .checkpoint)) != nil
    }
}
