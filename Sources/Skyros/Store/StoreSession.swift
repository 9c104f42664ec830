import SkyrosDisk
import SkyrosLog

/// The parts of an open store that belong to one log. `nuke` begins another one.
///
/// Streams, receipts and lazy sequences keep the session in which they were made: after the end of
/// it they fail with `.erased`, or `.historyChanged` if it ended because a server has another
/// history, and never see an event of the next.
final class StoreSession: Sendable {
    let engine: any LogEngine
    /// The writer of checkpoints; nil for a store in memory.
    let checkpointer: Checkpointer?
    /// The state before the first event.
    let empty: Snapshot
    let view: MainView
    /// What has to be acknowledged before readers see it; nil if nothing has.
    let publication: Publication?
    let lostEvents: LostEvents?
    let log: EventLog
    /// The idempotency keys of the log.
    let keys: IdempotencyKeys
    /// What the log says of the shapes of entities; a new log says nothing yet.
    let recorder: SchemaRecorder
    /// The copy to make before a newer shape is written; nil if there is no need for one.
    let evolutionBackup: EvolutionBackup?
    /// Which records its last writes have changed: conditions of writes are checked with it.
    let recent = RecentChanges()
    let syncer: LogSyncer
    let maintenance: BackgroundMaintenance
    /// Finds the changes of records; nil if the log is read for them.
    let history: HistoryIndex?
    /// Builds projections; nil if the store has none.
    let rebuilder: ProjectionRebuilder?
    let signal: EventSignal
    let subscriptions: SubscriptionHub
    let liveHub: LiveHub
    private let announcement: EventAnnouncement
    private let ending = Locked<StoreError?>(nil)
    private let failure = Locked<StoreError?>(nil)

    /// Starts the threads of the session. The thread of `resources.syncing` must run.
    init(_ resources: StoreResources, _ writer: Writer) {
        engine = resources.log
        checkpointer = resources.checkpointer
        empty = resources.empty
        keys = resources.keys
        let view = resources.view
        self.view = view
        log = EventLog(
            resources.log, lastTime: view.current.time,
            ClockGuard(jumpMax: resources.options.clockJumpMax, report: resources.report))
        recorder = SchemaRecorder(resources.schema, view.current)
        evolutionBackup = resources.evolutionBackup
        history = resources.makeHistoryIndex()
        let signal = EventSignal(view.current.sequence)
        self.signal = signal
        let subscriptions = resources.makeSubscriptionHub(signal)
        self.subscriptions = subscriptions
        let maintenance = BackgroundMaintenance(
            resources.log, resources.empty, view, resources.keys, resources.checkpointer, history,
            resources.projections, subscriptions, resources.options, resources.scrubber,
            resources.environment.clock, report: resources.report)
        self.maintenance = maintenance
        syncer = LogSyncer(
            resources.log, on: resources.syncing,
            intervalMilliseconds: resources.options.syncInterval.milliseconds,
            idleMilliseconds: resources.options.idleInterval.milliseconds,
            onIdle: { maintenance.noteIdle() },
            timer: resources.scrubTimer { maintenance.noteMinute() },
            onSync: { [engine] in subscriptions.noteDurable(through: engine.durableEnd) },
            report: resources.report)
        let liveHub = LiveHub(view, noted: signal)
        self.liveHub = liveHub
        let publication = resources.log.shared.map { _ in Publication(view) }
        self.publication = publication
        let lostEvents = resources.lostEvents(of: publication)
        self.lostEvents = lostEvents
        let rebuilder = resources.makeRebuilder(under: writer, maintenance, lostEvents)
        self.rebuilder = rebuilder
        let announcement = EventAnnouncement(
            liveHub: liveHub, maintenance: maintenance, signal: signal, rebuilder: rebuilder)
        self.announcement = announcement
        publication?.observe { entry in
            announcement.announce(
                entry.changes, of: entry.state.sequence, byteCount: entry.byteCount,
                in: entry.state)
        }
        resources.log.shared?.observe { [weak publication] outcome in
            switch outcome {
            case .success(let position): publication?.publish(through: position)
            case .failure: publication?.endTurn()
            }
        }
        rebuilder?.start()
        maintenance.start()
    }

    /// The state on which the next write block runs. O(1).
    var newest: Snapshot { publication?.newest ?? view.current }

    /// Returns when the log can be read through the last event of a state on which a write block
    /// runs. In a log on servers, other machines have to acknowledge that event first.
    func makeReadable(through state: Snapshot) throws(StoreError) {
        guard engine.head.sequence < state.sequence.rawValue else { return }
        try StoreError.wrap(try engine.flush())
    }

    /// Returns once all events are durable and in the files, for what copies these.
    func syncFiles() throws(StoreError) {
        try StoreError.wrap(try engine.sync(through: engine.end))
        try StoreError.wrap(try engine.flush())
    }

    /// Throws if another node has the turn to write.
    func checkWriter() throws {
        guard let shared = engine.shared else { return }
        try StoreError.wrap(try shared.checkWriter())
    }

    /// Tells background threads and streams of an event that is visible now.
    func announce(_ changes: [StagedChange], of sequence: SequenceNumber, byteCount: Int) {
        announcement.announce(changes, of: sequence, byteCount: byteCount, in: view.current)
    }

    /// Wakes those that wait for projections: the snapshot is that of the view.
    func noteProjections(of snapshot: @autoclosure () -> Snapshot) {
        announcement.noteProjections(of: snapshot())
    }

    /// Why the session has ended before its store; nil if it has not.
    var retirement: StoreError? { ending.withLock { $0 } }

    /// Whether the files of the session are being erased or replaced, or were.
    var isRetired: Bool { retirement != nil }

    /// Ends the session before its files are removed. Everything in it must be durable, so that
    /// whatever waits for that succeeds. Streams end with the error. A second call does nothing.
    ///
    /// - Parameter log: the same error for those who read the log.
    func retire(throwing error: StoreError = .erased, _ log: LogError = .erased) {
        let isFirst = ending.withLock { ending in
            defer { ending = ending ?? error }
            return ending == nil
        }
        guard isFirst else { return }
        signal.end(throwing: error)
        liveHub.end(throwing: error)
        subscriptions.end(throwing: error)
        rebuilder?.signal.end(throwing: error)
        rebuilder?.stop()
        syncer.stop()
        history?.stop()
        maintenance.end()
        // The files are removed next: what their closing would write is of no use to anyone.
        engine.segments?.retire(log)
        try? checkpointer?.close()
    }

    /// Why this process cannot finish the erasure of the session; nil if it can.
    var erasureFailure: StoreError? { failure.withLock { $0 } }

    /// After a failed sync a later one would prove nothing (promise P10).
    func noteErasureFailure(_ error: any Error) {
        guard isRetired else { return }
        let cause = error as? DiskError ?? (error as? LogError)?.cause
        guard let cause, cause.isFailedSync else { return }
        failure.withLock { failure in
            failure = StoreError(
                .durabilityLost,
                "a sync failed while the store was erased, so what a power cut leaves is unknown; "
                    + "open the store again, which finishes the erasure", cause: cause.description)
        }
    }
}
