import Dispatch
import SkyrosDisk
import SkyrosLog

/// The parts of an open store: the result of opening it.
struct StoreResources: Sendable {
    let lock: any DiskLock
    var log: any LogEngine
    let schema: Schema
    let environment: Environment
    let options: Store.Options
    let view: MainView
    /// The idempotency keys of the log.
    var keys: IdempotencyKeys
    /// The state before the first event.
    var empty: Snapshot
    /// The writer of checkpoints; nil for a store in memory.
    var checkpointer: Checkpointer?
    var recovery: RecoveryReport
    /// The app's handler of errors that no caller receives.
    let handler: ErrorHandler
    /// The threads that run a concurrent block or code of projections.
    var concurrentThreads = ConcurrentThreads()
    /// The read models, of which those of the newest event are current; nil if there are none.
    var projections: ProjectionSet?
    /// The copy to make before a newer shape is written; nil if there is no need for one.
    var evolutionBackup: EvolutionBackup?
    /// How the store joins others whose log is on a server.
    var node: NodePlan?
    /// The queue of the syncer. Opening starts its thread before it changes anything.
    var syncing = SerialQueue()

    /// Whether other nodes write the log, too.
    var isShared: Bool { log.shared != nil }

    /// What reads sealed segments again; nil for a store without files.
    var scrubber: Scrubber? {
        guard !isInMemory, let segments = log.segments else { return nil }
        return Scrubber(segments, in: environment, report: report)
    }

    /// Makes the index of the history, and lists the names of its runs; nil if the log is read for
    /// every question. That of a store in memory has no runs.
    func makeHistoryIndex() -> HistoryIndex? {
        guard options.historyIndex == .runs, let segments = log.segments else {
            if !isInMemory { removeRuns() }
            return nil
        }
        let index = HistoryIndex(
            log, of: log.storeID, on: environment.disk, empty: empty, mayWrite: !isInMemory,
            timeSpanMax: options.retention.fileSpanMax, report: report)
        if !isInMemory { index.estimateUncovered(logByteCount: segments.statistics.contentBytes) }
        return index
    }

    /// Removes the runs of a time with an index: nothing would prune them.
    private func removeRuns() {
        do throws(DiskError) {
            for name in try RunName.list(on: environment.disk) {
                try environment.disk.remove(name.path)
            }
        } catch {
            report(StoreError(error))
        }
    }

    /// What builds the projections that are pending; nil if the store has none.
    func makeRebuilder(
        under writer: Writer, _ maintenance: BackgroundMaintenance, _ lostEvents: LostEvents?
    ) -> ProjectionRebuilder? {
        projections.map { projections in
            ProjectionRebuilder(
                projections, HistoryReader(log: log, empty: empty), view,
                progressEvents: options.rebuildProgressEvents, report: report,
                onProgress: { [weak maintenance] in maintenance?.noteProjections() },
                settle: { lostEvents?.settle() }
            ) { [weak writer] job in try writer?.enqueue(isBounded: false, job) }
        }
    }

    /// What takes back the events that are lost with a turn; nil if the log is in files.
    func lostEvents(of publication: Publication?) -> LostEvents? {
        guard let shared = log.shared, let publication else { return nil }
        return LostEvents(
            shared: shared, publication: publication, view: view, keys: keys,
            projections: projections)
    }

    func makeSubscriptionHub(_ visible: EventSignal) -> SubscriptionHub {
        SubscriptionHub(
            HistoryReader(log: log, empty: empty), view, visible: visible,
            durable: SequenceNumber(rawValue: log.durableEnd.head.sequence),
            options.subscriptionPositions ?? node.map { ServerPositions($0.makeServer) }
                ?? PositionFiles(on: environment.disk),
            report: report)
    }

    private var isInMemory: Bool { environment.disk is MemoryDisk }

    /// Calls `body` once a minute. The first call comes at a random time of the first minute, so
    /// that short sessions count as much as they are long.
    func scrubTimer(_ body: @escaping @Sendable () -> Void) -> LogSyncer.Timer? {
        guard !isInMemory, let interval = options.scrubInterval else { return nil }
        let milliseconds = max(1, interval.milliseconds)
        return LogSyncer.Timer(
            intervalMilliseconds: milliseconds,
            firstMilliseconds: Int(empty.hashSeed % UInt64(milliseconds)), call: body)
    }

    /// Passes an error that no caller receives to the app's handler, on the callback queue.
    var report: @Sendable (any Error) -> Void {
        { [handler] in handler.report($0) }
    }
}

extension Store.Options {
    var log: LogOptions {
        var log = LogOptions()
        log.segmentBytesMax = segmentBytesMax
        log.sealThresholdBytes = sealThresholdBytes
        log.acceptsLostTail = acceptsLostTail
        log.batchBytesMax = min(eventBytesMax, LogOptions.batchBytesLimit)
        log.timeSpanMax = retention.fileSpanMax
        log.unsyncedBytesMax = max(log.unsyncedBytesMax, 2 * log.batchBytesMax)
        return log
    }
}

extension Duration {
    /// Whole microseconds; the largest number for 100 years and more.
    var microsecondsMax: Int64 {
        self >= .seconds(100 * 366 * 86_400) ? .max : Int64(milliseconds) * 1_000
    }

    /// Whole milliseconds, clamped to 0 ... 100 years.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let limit: Int64 = 100 * 366 * 86_400
        guard seconds < limit else { return Int(limit) * 1_000 }
        guard seconds >= 0 else { return 0 }
        return max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
