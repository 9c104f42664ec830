import SkyrosDisk

/// A fork of a store, or of another child store, with edits that its parent does not see until they
/// are merged: for drafts, forms with "cancel", and work that may be thrown away.
///
///     let draft = store.fork(by: "alice")
///     try draft.write { tx in try tx.update(Order.self, id) { $0.note = "no onions" } }
///     try draft.merge(because: "order changed")       // one event in the store
///
/// It has the reads and write blocks of a store. It sees its parent's records as of the fork, the
/// last ``refresh()`` or the last merge. Its edits are in memory only: they end with the process.
/// It keeps its parent open.
///
/// All methods may be called from any thread. Reads never wait for write blocks; write blocks run
/// one at a time.
///
/// Nothing but ``discard()`` drops edits. A child store that is released with edits reports
/// `.unmergedEdits` to the store's ``Store/Options/onError``.
///
/// After `nuke` or `destroy` of the store at its root, writes, merges and refreshes throw
/// `.erased`; `.historyChanged` if its server has another history since the fork.
public final class ChildStore: Sendable {
    /// The store from which this one was forked, and into which it is merged.
    public var parent: any RecordStore { origin }
    /// The actor of the events of merges that name no other.
    public let actor: String?

    let origin: any ForkOrigin
    /// The session of the store at the root in which the child was forked.
    let session: StoreSession
    let writer: Writer
    /// Changed under the writer's lock.
    let fork: Locked<Fork>
    /// The newest state, for readers; nil once the child was discarded.
    private let newest: Locked<Snapshot?>

    /// - Parameter session: one that was present before `state` was read.
    init(
        of origin: some ForkOrigin, in session: StoreSession, at state: Snapshot, by actor: String?
    ) {
        self.origin = origin
        self.session = session
        self.actor = actor
        let resources = origin.root.resources
        writer = Writer(empty: resources.empty, BlockInputs(resources.environment))
        let fork = Fork(of: state)
        self.fork = Locked(fork)
        newest = Locked(fork.current)
    }

    deinit {
        guard newest.withLock({ $0 }) != nil else { return }
        let count = fork.withLock { $0.changedCount }
        guard count > 0 else { return }
        // No caller is left to throw to: report to the error handler.
        root.resources.report(
            StoreError(
                .unmergedEdits,
                "a child store was released with edits of \(count) records, which are lost; call "
                    + "merge() or discard() before its last reference ends"))
    }

    /// Drops all edits. Later calls throw `.discarded`; snapshots stay valid. A second call does
    /// nothing.
    ///
    /// It waits for a write block that runs. Children of this one can no longer be merged.
    ///
    /// - Throws: `StoreError` with `.nestedWrite` inside a write block of this child.
    public func discard() throws {
        try writer.withLock {
            newest.withLock { $0 = nil }
            fork.withLock { $0 = Fork(of: root.resources.empty) }
        }
    }

    /// Throws if the history of the store at the root has ended since the fork.
    func checkSession() throws {
        if let error = session.retirement { throw error }
    }

    /// Runs `body` with the fork under the writer's lock, and shows readers the state that it
    /// leaves.
    func change<R>(_ body: (inout Fork) throws -> R) rethrows -> R {
        let (result, state) = try fork.withLock { fork in
            (try body(&fork), fork.current)
        }
        newest.withLock { $0 = state }
        return result
    }
}

extension ChildStore: RecordSource {
    /// The newest state: the parent's records as of the fork or the last refresh, with the child's
    /// edits. O(1).
    ///
    /// Its sequence and time are those of the parent's event.
    ///
    /// - Throws: `StoreError` with `.discarded`.
    public var snapshot: Snapshot {
        get throws {
            guard let state = newest.withLock({ $0 }) else { throw StoreError.discarded }
            return state
        }
    }

    /// Calls `body` with the newest state and returns what it returns. It sees one state, whatever
    /// is written meanwhile.
    ///
    /// - Throws: `StoreError` with `.discarded`; what `body` throws.
    public func read<R>(_ body: (Snapshot) throws -> R) throws -> R {
        try body(snapshot)
    }

    /// Calls `body` with the newest state and returns the child store, for chaining.
    @discardableResult
    public func read(_ body: (Snapshot) throws -> Void) throws -> Self {
        try body(snapshot)
        return self
    }

    /// Whether it differs from the parent's state as of the fork, the last refresh or merge.
    /// O(edits).
    ///
    /// - Throws: `StoreError` with `.discarded`.
    public var hasChanges: Bool {
        get throws {
            _ = try snapshot
            return fork.withLock { $0.changedCount > 0 }
        }
    }

    /// What a merge would change, were the parent as it was: one change for each record, in the
    /// order of the first edits. O(edits).
    ///
    /// - Throws: `StoreError` with `.discarded`.
    public func changes() throws -> [Change] {
        _ = try snapshot
        return try fork.withLock { try $0.changes() }
    }
}

extension StoreError {
    /// The error of a call to a child store that was discarded.
    static var discarded: StoreError {
        StoreError(
            .discarded,
            "the child store was discarded; make another one with fork() of its parent")
    }
}
