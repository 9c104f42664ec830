import SkyrosDisk
import SkyrosLog
import Synchronization

/// A store that keeps every change: plain Swift values, synchronous reads, a history of who
/// changed what, when and why.
///
///     let store = try Store(at: url, entities: Restaurant.self, Order.self)
///
///     try store.write(by: "alice", because: "new partner") { tx in
///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
///     }
///     let italian = try store.all(Restaurant.self, where: \.cuisine == "italian")
///
/// All methods may be called from any thread. Reads never wait for writers or the disk; write
/// blocks run one at a time. What is queued runs in the order of the calls; a thread that comes
/// while another is being woken may go before it, at most 32 times in a row.
public final class Store: Sendable {
    /// What opening the store found and did.
    public let recovery: RecoveryReport

    let parts: StoreResources
    let view: MainView
    let log: EventLog
    let writerLock: WriterLock
    private let runner: BlockRunner
    let syncer: LogSyncer
    let checkpointer: Checkpointer?
    let maintenance: BackgroundMaintenance
    let signal: EventSignal
    private let isClosed = Atomic(false)

    init(_ opened: StoreOpening.Opened) {
        recovery = opened.report
        parts = opened.parts
        view = opened.view
        log = EventLog(parts.log, lastTime: view.current.time)
        writerLock = WriterLock(worker: SerialQueue())
        runner = BlockRunner(empty: opened.empty)
        syncer = LogSyncer(
            parts.log, intervalMilliseconds: parts.options.syncIntervalMilliseconds,
            report: parts.report)
        checkpointer = opened.checkpointer
        maintenance = BackgroundMaintenance(
            parts.log, view, checkpointer, parts.options, report: parts.report)
        signal = EventSignal(view.current.sequence)
    }

    deinit {
        do {
            try close()
        } catch let error as StoreError where error.code == .alreadyOpen {
            // A copy of the process lets go; the store goes on where it was opened, and the queue
            // of the handler is not to be used here.
        } catch {
            // It has nobody left to hear it but the handler.
            parts.report(StoreError.wrapping(error))
        }
    }

    /// The newest state, as a value. O(1).
    public var snapshot: Snapshot { view.current }

    /// The last event.
    public var sequence: SequenceNumber { view.current.sequence }

    /// The five lines that everything else serves: block → command batch → event → snapshot.
    ///
    /// - Parameter receipt: the proof of the write, once this returns.
    func commit<R>(
        _ request: WriteRequest, _ receipt: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        try checkOpen()
        var batch = CommandBatch(metadata: request.metadata, intent: request.intent)
        let result = try runner.run(on: view.current, gathering: &batch, block)
        guard !batch.isEmpty else { return result }
        let appended = try log.append(
            batch, at: parts.clock.nowMicroseconds(), deferring: request.durability == .deferred)
        try withExtendedLifetime(batch) {
            try view.update(changeCount: batch.changes.count) { snapshot, dirty in
                try Projector.apply(
                    batch.changes, prepared: batch.prepared, as: appended.stamp,
                    to: &snapshot, marking: &dirty)
            }
        }
        receipt = announce(appended, changeCount: batch.changes.count, request.durability)
        return result
    }

    /// Tells the background and those who follow the log that there is a new event.
    private func announce(
        _ appended: EventLog.Appended, changeCount: Int, _ durability: Durability
    ) -> Receipt {
        let sequence = appended.stamp.sequence
        syncer.noteAppended()
        maintenance.noteAppended(changeCount: changeCount, byteCount: appended.byteCount)
        signal.raise(sequence)
        let promise = DurabilityPromise(
            log: log.engine, position: appended.position, syncer: syncer)
        return Receipt(sequence, min(durability, .buffered), promise)
    }

    /// Ends the store in order: queued writes run, everything becomes durable, a checkpoint is
    /// written, and the files and the lock are given back. The data stays. Calling it again does
    /// nothing.
    ///
    /// Snapshots that were taken stay valid; writes throw `.closed` from now on, reads give the
    /// last state.
    ///
    /// - Throws: `StoreError`, `.durabilityLost` if what was written cannot be made durable.
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
            Result { try StoreError.fromLog { () throws(LogError) in try parts.log.close() } },
            Result { try checkpointer?.close() },
        ]
        parts.lock.release()
        for result in results { try result.get() }
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .acquiring) {
            throw StoreError(.closed, "the store was closed; open it again to write")
        }
    }

    /// Refuses a copy of the process, which has neither the store's threads nor its lock. Asked
    /// before anything waits: whoever had the turn is in the other process.
    func checkProcess() throws {
        try StoreError.fromDisk { () throws(DiskError) in try parts.lock.check() }
    }
}
