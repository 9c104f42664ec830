import SkyrosDisk

/// Which threads wait for a writer lock while they hold another store's: finds cycles of them.
///
/// A thread can only be part of a cycle if it holds a lock and waits for another, so only these
/// are registered, just before they sleep. The last one of a cycle finds the others asleep.
final class WaitGraph: Sendable {
    /// The graph of all stores of this process.
    static let shared = WaitGraph()

    typealias LockID = ObjectIdentifier

    struct State: Sendable {
        /// For each lock, the thread that holds it.
        var owners: [LockID: @Sendable () -> ThreadID?] = [:]
        /// For each thread that holds a lock and waits, the lock that it waits for.
        var waits: [ThreadID: LockID] = [:]
    }

    let state = Locked(State())

    /// Adds a lock, whose owner `owner` returns.
    func add(_ lock: LockID, owner: @escaping @Sendable () -> ThreadID?) {
        state.withLock { $0.owners[lock] = owner }
    }

    func remove(_ lock: LockID) {
        state.withLock { $0.owners[lock] = nil }
    }

    /// Registers that `thread` waits for `lock`, if it holds another. O(locks).
    ///
    /// - Returns: whether it was registered: `endWait` must follow then.
    /// - Throws: `StoreError` with `.writeCycle` if the wait would close a cycle.
    func beginWait(of thread: ThreadID, for lock: LockID) throws -> Bool {
        try state.withLock { state in
            guard state.owners.count > 1, state.owners.values.contains(where: { $0() == thread })
            else { return false }
            guard !state.closesCycle(thread, lock) else {
                throw StoreError(
                    .writeCycle,
                    "the store's writer waits for a store in whose write block this is: each "
                        + "would wait for the other for ever. Nest the blocks of several stores "
                        + "in one order everywhere; nothing was written by this block")
            }
            state.waits[thread] = lock
            return true
        }
    }

    func endWait(of thread: ThreadID) {
        state.withLock { $0.waits[thread] = nil }
    }
}

extension WaitGraph.State {
    /// Follows locks to their owners, and owners to the locks that they wait for.
    fileprivate func closesCycle(_ thread: ThreadID, _ wanted: WaitGraph.LockID) -> Bool {
        var lock = wanted
        // A chain without a cycle is no longer than the number of locks.
        for _ in 0..<owners.count {
            guard let owner = owners[lock]?() else { return false }
            if owner == thread { return true }
            guard let next = waits[owner] else { return false }
            lock = next
        }
        return false
    }
}
