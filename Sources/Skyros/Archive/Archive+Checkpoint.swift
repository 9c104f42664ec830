import SkyrosDisk
import SkyrosLog

extension Archive {
    /// The events that the store's checkpoint holds and its log has lost; nil if there are none.
    ///
    ///     if let lost = archive.lostEvents { print("the log lost the events \(lost)") }
    ///
    /// Opening such a store is refused with `.logBehindCheckpoint`. The checkpoint has the records
    /// of the last of these events: see ``salvageCheckpoint(of:into:progress:)``. It reads the
    /// checkpoint's description, and may be called from any thread.
    public var lostEvents: ClosedRange<SequenceNumber>? {
        guard let checkpoint = try? checkpoint(), let position = try? checkpoint.position() else {
            return nil
        }
        return lostEvents(before: position)
    }

    /// The same for a checkpoint at `position`.
    func lostEvents(before position: CheckpointPosition) -> ClosedRange<SequenceNumber>? {
        guard isOwn(position), position.sequence > sequence.rawValue else { return nil }
        var end = sequence.rawValue
        if let scan {
            // Of damage without an end, no file holds even the first event.
            let damaged = scan.damages.filter { !$0.isOpenEnded }.compactMap(\.sequences)
            let known = scan.readableAfterDamage + damaged
            end = max(end, known.map(\.upperBound).max() ?? 0)
        }
        if position.sequence > end {
            // A process that has the store open may have appended, and written the checkpoint.
            let now = try? Self.follower(on: disk, isTolerant: true)
            end = max(end, now?.head.sequence ?? 0)
        }
        guard position.sequence > end else { return nil }
        return SequenceNumber(rawValue: end + 1)...SequenceNumber(rawValue: position.sequence)
    }

    /// Whether the checkpoint is this store's, as far as the log shows which store it is.
    func isOwn(_ position: CheckpointPosition) -> Bool {
        guard scan?.isStoreKnown ?? true else { return true }
        return position.storeID == log.storeID.bytes
    }

    /// The checkpoint, opened for reading; nil if there is none.
    func checkpoint() throws -> Checkpointer? {
        try Self.checkpoint(on: disk, storeID: log.storeID.bytes)
    }

    static func checkpoint(on disk: any Disk, storeID: [UInt8]) throws -> Checkpointer? {
        guard let directory = disk.databaseDirectory else { return nil }
        let file = DiskPath(.root, "checkpoint.sqlite")
        let status = try StoreError.wrap(try disk.status(of: file))
        guard status != nil else { return nil }
        return Checkpointer(in: directory, file.name, storeID: storeID, readOnly: true)
    }
}
