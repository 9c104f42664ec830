import SkyrosDisk
import SkyrosLog
import Synchronization

/// A store that keeps every change: plain Swift values, synchronous reads, and a history of who
/// changed what, when and why.
///
///     let store = try Store(at: url, entities: Restaurant.self, Order.self)
///
///     try store.write(by: "alice", because: "new partner") { tx in
///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
///     }
///     let italian = try store.all(Restaurant.self, where: \.cuisine == "italian")
///
/// All methods may be called from any thread. Reads never wait for write blocks or the disk. Write
/// blocks run one at a time: asynchronous ones in the order of the calls, synchronous ones in turns
/// with them, after those that the same thread or task has queued. A running thread may barge past
/// a thread that is being woken, at most 32 times in a row.
public final class Store: Sendable {
    /// What opening the store found and repaired.
    public var recovery: RecoveryReport { resources.recovery }

    /// What stays as it was at the opening. Its log and checkpointer are those of the first
    /// session.
    let resources: StoreResources
    let writer: Writer
    var concurrentThreads: ConcurrentThreads { resources.concurrentThreads }
    let commitHooks = CommitHooks()
    /// The present session; changed under the writer lock.
    let sessions: Locked<StoreSession>
    private let isClosed = Atomic(false)
    /// Whether the store was suspended, and the mutex of `suspend` and `resume`.
    let suspension = Locked(false)
    /// The same, for checks that must not wait.
    let isSuspended = Atomic(false)
    /// The lock of the store; released while it is suspended.
    let heldLock: Locked<any DiskLock>
    /// What keeps a node up to date with a server.
    let node = Locked<StoreNode?>(nil)

    var view: MainView { resources.view }

    /// The parts that `nuke` replaces. Load it once for parts that must fit together.
    var session: StoreSession { sessions.withLock { $0 } }
    var log: EventLog { session.log }
    var syncer: LogSyncer { session.syncer }
    var maintenance: BackgroundMaintenance { session.maintenance }
    var signal: EventSignal { session.signal }
    var liveHub: LiveHub { session.liveHub }

    init(_ resources: StoreResources) {
        self.resources = resources
        heldLock = Locked(resources.lock)
        writer = Writer(empty: resources.empty, BlockInputs(resources.environment))
        sessions = Locked(StoreSession(resources, writer))
    }

    deinit {
        do {
            try close()
        } catch let error as StoreError where error.code == .alreadyOpen {
            // This is a forked child. The parent still uses the store; the handler's queue has no
            // threads here.
        } catch {
            // No caller is left to throw to: report to the error handler.
            resources.report(StoreError.wrapping(error))
        }
    }

    /// Closes the store: runs the queued writes, makes everything durable, writes a checkpoint,
    /// compresses the log but for the last 64 KiB, and releases the files and the lock. A second
    /// call does nothing.
    ///
    /// Snapshots stay valid. Later writes throw `.closed`, later reads give the last state.
    ///
    /// A checkpoint that another connection has locked is not written, and what cannot be
    /// compressed is left for the next opening; both are reported to ``Options/onError`` only.
    ///
    /// - Throws: `StoreError`, with `.durabilityLost` if what was written cannot be made durable;
    ///   `.nestedWrite` inside a write block of this store.
    public func close() throws {
        try checkProcess()
        try writer.lock.checkNotHeld()
        // It may wait for the writer lock.
        node.withLock { $0 }?.stop()
        // The queued blocks of a suspended store run after it, and are refused.
        defer { writer.continueQueue() }
        defer { session.subscriptions.saveElsewhere() }
        try writer.withLock(afterAllJobs: true, end)
    }

    private func end() throws {
        guard markClosed() else { return }
        let session = session
        let maintenance = session.maintenance
        // An erasure has failed: the next opening finishes it.
        if session.isRetired { return heldLock.withLock { lock in lock.release() } }
        session.signal.end()
        session.liveHub.end()
        session.subscriptions.end()
        session.rebuilder?.signal.end()
        session.rebuilder?.stop()
        session.syncer.stop()
        session.history?.stop()
        maintenance.end()
        session.history?.abandonMerge()
        let checkpoint: Result<Void, any Error> = Result { try checkpointUnlessBusy() }
        // The files of a suspended store may be another process's.
        if !isSuspended.load(ordering: .sequentiallyConsistent) { maintenance.sealBeforeClosing() }
        let results: [Result<Void, any Error>] = [
            checkpoint,
            Result { try StoreError.wrap(try session.engine.close()) },
            Result { try session.checkpointer?.close() },
        ]
        heldLock.withLock { $0.release() }
        for result in results { try result.get() }
    }

    /// Writes a checkpoint. One that another connection has locked is reported only: the next
    /// opening folds more events.
    private func checkpointUnlessBusy() throws {
        if isSuspended.load(ordering: .sequentiallyConsistent) { return }
        do {
            try maintenance.checkpoint()
        } catch let error as StoreError where error.code == .checkpointBusy {
            resources.report(error)
        }
    }

    /// Marks the store as closed; returns whether it was open. The calling thread must hold the
    /// writer lock.
    func markClosed() -> Bool {
        !isClosed.exchange(true, ordering: .acquiringAndReleasing)
    }

    var hasClosed: Bool { isClosed.load(ordering: .acquiring) }

    func checkOpen() throws {
        if hasClosed { throw StoreError.closed }
        if isSuspended.load(ordering: .acquiring) { throw StoreError.suspended }
    }

    func withWriterLock<R>(_ body: () throws -> R) throws -> R {
        try checkProcess()
        try concurrentThreads.check()
        // Also before waiting for a block that runs.
        if isSuspended.load(ordering: .acquiring) { try checkOpen() }
        return try writer.withLock(body)
    }

    /// Throws in a forked child, which has neither the store's threads nor its lock. Call it before
    /// waiting: the thread that holds the writer lock may not exist in the child.
    func checkProcess() throws {
        try StoreError.wrap(try resources.lock.check())
    }
}
