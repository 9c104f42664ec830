public import Foundation
package import SkyrosDisk
import SkyrosLog

extension Store {
    /// Erases all records, all events and the checkpoint; the store stays open and begins anew.
    ///
    ///     try store.nuke()
    ///     store.sequence                       // 0
    ///     try store.write { … }                // event 1 of another history
    ///
    /// Everything that was written or queued before is completed first, and then erased: each
    /// completion is called once. The store has a new id. Snapshots stay valid; receipts too.
    /// Streams, lazy sequences and time machines of the events before throw `.erased`.
    ///
    /// Only files with names of ours are removed, and no link is followed; copies in `backups/`
    /// stay. An erasure that a crash interrupts is finished by the next opening.
    ///
    /// - Parameter includingQuarantine: whether to erase also what recovery has set aside in
    ///   `quarantine/`.
    /// - Throws: `StoreError` with `.insecurePath` if a file of the store is a link or the like,
    ///   `.suspended`, `.closed`, `.nestedWrite`: nothing was erased then. If later writes throw
    ///   `.erased`, the error, such as `.io`, came after the decision: call `nuke` again, or open
    ///   the store again, which finishes the erasure. If they do not, nothing was erased. After
    ///   `.durabilityLost`, only opening it again helps.
    /// - Complexity: O(files), and what closing an open store waits for.
    public func nuke(includingQuarantine: Bool = false) throws {
        let syncing = SerialQueue()
        try StoreError.wrap(try syncing.start())
        try whileErasing(includingQuarantine, beginningAnew: true) { erasure in
            let resources = try beginAnew(syncing)
            try erasure.end()
            let next = StoreSession(resources, writer)
            sessions.withLock { $0 = next }
        }
    }

    /// Closes the store and erases it: all records, all events, the checkpoint and the lock, and
    /// the directory if nothing else is in it. Copies in `backups/` stay.
    ///
    /// Everything that was written or queued before is completed first, and then erased. Later
    /// writes throw `.closed`, later reads find nothing. An erasure that a crash interrupts is
    /// finished by the next opening. ``close()`` keeps the data.
    ///
    /// - Parameter includingQuarantine: whether to erase also what recovery has set aside in
    ///   `quarantine/`.
    /// - Throws: as ``nuke(includingQuarantine:)``.
    public func destroy(includingQuarantine: Bool = false) throws {
        try whileErasing(includingQuarantine, beginningAnew: false) { erasure in
            try erasure.end()
            _ = markClosed()
            try heldLock.withLock { lock in
                defer { lock.release() }
                try StoreError.wrap(try lock.removeFile())
            }
            _ = try StoreError.wrap(try resources.environment.disk.removeRoot())
        }
    }

    /// Erases the store at `url`, which must not be open: all records, all events, the checkpoint
    /// and the lock, and the directory if nothing else is in it.
    ///
    ///     try Store.destroy(at: url)
    ///
    /// Files with other names are kept, and so are copies in `backups/`. It also finishes an
    /// erasure that was interrupted.
    ///
    /// - Throws: `StoreError` with `.notAStore` if there is no store, `.alreadyOpen` if it is open,
    ///   `.insecurePath` if one of its files is a link or the like, and nothing was erased then;
    ///   `.io`: the next opening, or calling this again, finishes the erasure.
    public static func destroy(at url: URL, includingQuarantine: Bool = false) throws {
        let disk = try StoreDirectory.disk(at: url, creating: false)
        try destroy(on: disk, includingQuarantine: includingQuarantine)
    }

    /// Erases the store on any disk.
    package static func destroy(on disk: any Disk, includingQuarantine: Bool = false) throws {
        let names = try StoreError.wrap(try disk.list(.events))
        guard
            try names.contains(where: { SegmentName($0) != nil })
                || ErasureMarker.exists(on: disk)
        else { throw StoreDirectory.missing(at: disk.systemPath ?? "") }
        let lock = try StoreError.wrap(try disk.lock())
        defer { lock.release() }
        try StoreError.wrap {
            try StoreErasure.continued(on: disk)?.end()
            let marker = ErasureMarker(
                storeID: try SegmentOwners.storeIDs(on: disk).last,
                includesQuarantine: includingQuarantine, beginsAnew: false)
            let erasure = StoreErasure(marker, on: disk)
            try erasure.prepare()
            try erasure.commit()
            try erasure.removeFiles()
            try erasure.end()
            try lock.removeFile()
            lock.release()
            _ = try disk.removeRoot()
        }
    }

    /// Erases the files of the open store, and then runs `body`, which ends the erasure, all under
    /// the writer lock.
    private func whileErasing(
        _ includingQuarantine: Bool, beginningAnew: Bool, _ body: (StoreErasure) throws -> Void
    ) throws {
        try checkProcess()
        try checkOpen()
        try writer.withLock(afterAllJobs: true) {
            try checkOpen()
            // Suspending waits: it would give another process a store that is erased in part.
            try suspension.withLock { isOn in
                if isOn { throw StoreError.suspended }
                let session = session
                if let failure = session.erasureFailure { throw failure }
                if session.engine.shared != nil { throw StoreError.ofSharedLog("erased") }
                guard session.engine.segments != nil else {
                    throw StoreError(.invalidInput, "the store's log has no files to erase")
                }
                let marker = ErasureMarker(
                    storeID: session.engine.storeID, includesQuarantine: includingQuarantine,
                    beginsAnew: beginningAnew)
                let erasure = StoreErasure(marker, on: resources.environment.disk)
                try StoreError.wrap {
                    do {
                        try erase(session, erasure)
                        try body(erasure)
                    } catch {
                        session.noteErasureFailure(error)
                        throw error
                    }
                }
            }
        }
    }

    private func erase(_ session: StoreSession, _ erasure: StoreErasure) throws {
        if !session.isRetired { try session.engine.sync(through: session.engine.end) }
        try erasure.prepare()
        do {
            try erasure.commit()
        } catch {
            // Only without its name the marker means nothing, and the store stays what it is.
            if (try? ErasureMarker.exists(on: erasure.disk)) != false { retireErased(session) }
            throw error
        }
        retireErased(session)
        try erasure.removeFiles()
    }

    /// Ends a session whose files the next opening may remove, and shows an empty store. The
    /// calling thread holds the writer lock, so that no event is written that this could take.
    private func retireErased(_ session: StoreSession) {
        session.retire()
        view.replace(
            withNewProjections(session.empty),
            dirty: DirtyRows(isRecording: session.checkpointer != nil))
    }

    /// The state before the first event, with the projections of then.
    private func withNewProjections(_ empty: Snapshot) -> Snapshot {
        resources.projections?.reset()
        var state = empty
        state.projections = resources.projections?.values()
        return state
    }

    /// Creates an empty log with a new store id in the erased directory.
    private func beginAnew(_ syncing: SerialQueue) throws -> StoreResources {
        let opening = StoreOpening(
            environment: resources.environment, schema: resources.schema,
            options: resources.options)
        let new = try opening.createAgain(hashSeed: view.current.hashSeed)
        view.replace(
            withNewProjections(new.empty),
            dirty: DirtyRows(isRecording: new.checkpointer != nil))
        var resources = resources
        resources.log = new.log
        resources.empty = new.empty
        resources.keys = IdempotencyKeys(KeyTable(), opening.keyWindow)
        resources.checkpointer = new.checkpointer
        resources.syncing = syncing
        return resources
    }
}
