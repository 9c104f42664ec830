import SkyrosDisk
import SkyrosLog
import Synchronization

extension Store {
    /// Releases every lock of the store, so that the system may stop this process and another one
    /// may open the store. Waits for no write block and no sync.
    ///
    /// iOS ends an app that holds a file lock while it is suspended: call it when the app enters
    /// the background, and ``resume()`` when it returns.
    ///
    /// Until then reads go on. New events are refused with `.suspended`, also those of blocks that
    /// run; queued blocks wait. A checkpoint that is being written is rolled back. What was written
    /// is in the files; whether it is durable is decided by the next process that opens them, or by
    /// ``resume()``: a write that waits for durability fails with `.suspended`, and its event is
    /// kept as a buffered one is.
    ///
    /// A store whose log is on a server gives up its connection and the turn to write. What it has
    /// not acknowledged is lost, or its outcome is unknown.
    ///
    /// A second call does nothing, and so does one after `close()`. Closing a suspended store, or
    /// releasing it, changes none of its files.
    public func suspend() {
        suspension.withLock { isOn in
            guard !isOn else { return }
            writer.pauseQueue()
            // `close` marks the store first and then lets the queue continue.
            guard !hasClosed else { return writer.continueQueue() }
            isOn = true
            isSuspended.store(true, ordering: .sequentiallyConsistent)
            node.withLock { $0 }?.suspend()
            let session = session
            session.history?.suspend()
            session.subscriptions.pause()
            session.engine.segments?.suspend()
            resources.environment.disk.suspend()
            session.checkpointer?.dropLocks()
            heldLock.withLock { $0.release() }
        }
    }

    /// Takes the locks of a suspended store again, and folds the events that others have written
    /// meanwhile. Waits for a block or a checkpoint that still runs.
    ///
    /// If the log is on a server, it looks there, and takes the turn to write if it is free.
    ///
    /// New writes are held to the rules that others have recorded of entities without a type.
    /// Unlike opening, it does not look for records that exist and break a unique index or a
    /// relation: these are no reason to lock the app out of its open store.
    ///
    /// After an error the store is still suspended, and `resume` may be called again.
    ///
    /// - Throws: `StoreError`, with `.alreadyOpen` if another process has the store open,
    ///   `.historyChanged` if the log is not the one that the store has seen, or a continuation of
    ///   it; `.unknownEntity` if others have written records of a type that this store was not
    ///   given; `.nestedWrite` in a write block of this store; what opening the store throws.
    /// - Complexity: O(events that others have written), or that of opening the store if they have
    ///   written a checkpoint; O(n) for a unique index that has records of an older shape.
    public func resume() throws {
        try checkProcess()
        var attempt: StoreNode.Attempt?
        let hasResumed = try writer.withLock {
            guard !hasClosed else { throw StoreError.closed }
            guard isSuspended.load(ordering: .sequentiallyConsistent) else { return false }
            let known = try maintenance.withPause {
                session.lostEvents?.settle()
                session.engine.segments?.waitForSync()
                session.subscriptions.waitForFiles()
                return try suspension.withLock { isOn in
                    let known = try takeUp()
                    isSuspended.store(false, ordering: .sequentiallyConsistent)
                    isOn = false
                    if isWriter { session.subscriptions.resume() }
                    attempt = node.withLock { $0 }?.resume()
                    return known
                }
            }
            // Their code runs under the writer lock only.
            if !session.isRetired { session.rebuilder?.start(from: known) }
            return true
        }
        guard hasResumed else { return }
        attempt?.wait()
        // It may be suspended again.
        suspension.withLock { isOn in if !isOn { writer.continueQueue() } }
        session.subscriptions.noteDurable(through: session.engine.durableEnd)
    }

    /// Returns the state with which the store was suspended.
    private func takeUp() throws -> Snapshot {
        let disk = resources.environment.disk
        let lock = try StoreError.wrap(try disk.lock())
        disk.resume()
        do {
            let known = view.current
            try StoreError.wrap { try foldWhatOthersWrote() }
            heldLock.withLock { $0 = lock }
            return known
        } catch {
            disk.suspend()
            session.checkpointer?.dropLocks()
            lock.release()
            throw error
        }
    }

    private func foldWhatOthersWrote() throws {
        guard let segments = session.engine.segments else { return }
        // The node begins again with the history that the server has now.
        if session.isRetired, session.engine.shared != nil { return }
        let opening = StoreOpening(
            environment: resources.environment, schema: resources.schema,
            options: resources.options)
        let inspection = try opening.inspection(continuing: view.current)
        let (known, dirty) = view.takeDirty()
        var keys = session.keys.current
        do {
            let next = try opening.state(
                of: inspection, after: known, dirty, &keys, empty: session.empty,
                session.checkpointer)
            try next.snapshot.collectOlderKeys()
            try segments.resume(after: inspection)
            session.history?.reload()
            session.keys.replace(keys)
            var snapshot = next.snapshot
            resources.projections?.begin(known, at: snapshot.sequence)
            snapshot.projections = resources.projections?.values()
            view.replace(snapshot, dirty: next.dirty)
            log.continueAfter(snapshot.sequence, at: snapshot.time)
            session.recorder.reset(for: snapshot)
            session.recent.forget()
            let sequence = snapshot.sequence
            let affected = liveHub.noteUnknown(through: sequence)
            signal.raise(sequence)
            session.noteProjections(of: snapshot)
            LiveHub.wake(affected, for: sequence)
        } catch {
            // The checkpoint may have been loaded; the state that is kept is not of it.
            session.checkpointer?.noteUnknown()
            view.restoreDirty(dirty)
            throw error
        }
    }
}
