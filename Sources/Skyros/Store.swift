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

    let resources: StoreResources
    let log: EventLog
    let writer: Writer
    let recorder: SchemaRecorder
    let syncer: LogSyncer
    let maintenance: BackgroundMaintenance
    let signal: EventSignal
    private let isClosed = Atomic(false)
    /// Whether the store was suspended, and the mutex of `suspend` and `resume`.
    let suspension = Locked(false)
    /// The same, for checks that must not wait.
    let isSuspended = Atomic(false)
    /// The lock of the store; released while it is suspended.
    let heldLock: Locked<any DiskLock>

    var view: MainView { resources.view }

    init(_ resources: StoreResources) {
        self.resources = resources
        heldLock = Locked(resources.lock)
        let view = resources.view
        log = EventLog(
            resources.log, lastTime: view.current.time,
            ClockGuard(jumpMax: resources.options.clockJumpMax, report: resources.report))
        writer = Writer(empty: resources.empty)
        recorder = SchemaRecorder(resources.schema, view.current)
        let maintenance = BackgroundMaintenance(
            resources.log, view, resources.checkpointer, resources.options, resources.scrubber,
            report: resources.report)
        self.maintenance = maintenance
        syncer = LogSyncer(
            resources.log, on: resources.syncing,
            intervalMilliseconds: resources.options.syncInterval.milliseconds,
            idleMilliseconds: resources.options.idleInterval.milliseconds,
            onIdle: { maintenance.noteIdle() },
            timer: resources.scrubTimer { maintenance.noteMinute() }, report: resources.report)
        signal = EventSignal(view.current.sequence)
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
        // The queued blocks of a suspended store run after it, and are refused.
        defer { writer.continueQueue() }
        try writer.withLock(afterAllJobs: true, end)
    }

    private func end() throws {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        signal.end()
        syncer.stop()
        maintenance.stop()
        let checkpoint: Result<Void, any Error> = Result { try checkpointUnlessBusy() }
        maintenance.sealBeforeClosing()
        let results: [Result<Void, any Error>] = [
            checkpoint,
            Result { try StoreError.wrap(try resources.log.close()) },
            Result { try resources.checkpointer?.close() },
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

    var hasClosed: Bool { isClosed.load(ordering: .acquiring) }

    func checkOpen() throws {
        if hasClosed { throw StoreError.closed }
        if isSuspended.load(ordering: .acquiring) { throw StoreError.suspended }
    }

    func withWriterLock<R>(_ body: () throws -> R) throws -> R {
        try checkProcess()
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
