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
/// blocks run one at a time: asynchronous ones in the order of the calls, synchronous ones between
/// them. A running thread may barge past a thread that is being woken, at most 32 times in a row.
public final class Store: Sendable {
    /// What opening the store found and repaired.
    public var recovery: RecoveryReport { resources.recovery }

    let resources: StoreResources
    let log: EventLog
    let writer: Writer
    let syncer: LogSyncer
    let maintenance: BackgroundMaintenance
    let signal: EventSignal
    private let isClosed = Atomic(false)

    var view: MainView { resources.view }

    init(_ resources: StoreResources) {
        self.resources = resources
        let view = resources.view
        log = EventLog(resources.log, lastTime: view.current.time)
        writer = Writer(empty: resources.empty)
        syncer = LogSyncer(
            resources.log, intervalMilliseconds: resources.options.syncInterval.milliseconds,
            report: resources.report)
        maintenance = BackgroundMaintenance(
            resources.log, view, resources.checkpointer, resources.options,
            report: resources.report)
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

    /// Closes the store: runs the queued writes, makes everything durable, writes a checkpoint, and
    /// releases the files and the lock. A second call does nothing.
    ///
    /// Snapshots stay valid. Later writes throw `.closed`, later reads give the last state.
    ///
    /// - Throws: `StoreError`, with `.durabilityLost` if what was written cannot be made durable;
    ///   `.nestedWrite` inside a write block of this store.
    public func close() throws {
        try withWriterLock(end)
    }

    private func end() throws {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        signal.end()
        syncer.stop()
        maintenance.stop()
        let results: [Result<Void, any Error>] = [
            Result { try maintenance.checkpoint() },
            Result { try StoreError.wrap(try resources.log.close()) },
            Result { try resources.checkpointer?.close() },
        ]
        resources.lock.release()
        for result in results { try result.get() }
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .acquiring) {
            throw StoreError(.closed, "the store was closed; open it again to write")
        }
    }

    func withWriterLock<R>(_ body: () throws -> R) throws -> R {
        try checkProcess()
        return try writer.withLock(body)
    }

    /// Throws in a forked child, which has neither the store's threads nor its lock. Call it before
    /// waiting: the thread that holds the writer lock may not exist in the child.
    func checkProcess() throws {
        try StoreError.wrap(try resources.lock.check())
    }
}
