import SkyrosDisk
import SkyrosLog
import Synchronization

/// Keeps a store up to date with a server: shows what other nodes write, announces what this one
/// writes, and takes the turn to write when it is free. On a dedicated thread, by a separate
/// connection.
final class StoreNode: Sendable {
    /// What a node does with its store.
    struct Actions: Sendable {
        /// Runs its argument with the writer lock.
        let withWriterLock: @Sendable (() throws -> Void) throws -> Void
        /// Shows what the local copy of the log has. Called with the writer lock.
        let follow: @Sendable (StoreSession) throws -> Void
        /// Begins another session, as the server has other events after this one.
        let beginAgain: @Sendable (SequenceNumber) throws -> StoreSession
        let report: @Sendable (any Error) -> Void
        let clock: any WallClock
    }

    private let plan: NodePlan
    let server: any LogServer
    let session: Locked<StoreSession>
    private let actions: Actions
    private let queue = SerialQueue()
    /// When all of the server's log was seen and shown last.
    private let contact = Locked<EventTime?>(nil)
    /// The last event that the server and this node have in common, if it has another history.
    private let common = Locked<SequenceNumber?>(nil)
    enum Phase { case running, suspended, ended }
    struct Progress {
        var phase = Phase.running
        /// The checks of the server that have begun, and the last one that has ended, perhaps in
        /// vain.
        var begunCount = 0
        var lastEnded = 0
        /// Whether the connection was given up since the last check began.
        var wasSuspended = false
        /// The connection that has, or had, the turn.
        var ownTurn: String?
        /// The one that had it when it ended.
        var givenUp: String?
        /// The last event that this node has written and the quorum has.
        var acknowledged: LogHead?
        /// What was announced of it.
        var announced: LogHead?
        /// Whether this node has lost its turn since the last check.
        var hasLostTurn = false
        /// Whether the thread waits for one of these.
        var isWaiting = false
        /// The end of the log as `readLatest` has learned it.
        var latest: LogHead?
    }
    let progress = Monitor(Progress())
    /// Is raised with the number of turns that this node has taken.
    let turns = EventSignal(.zero)
    let latest: LatestHead
    /// When the whole state of the server is checked, also if there is no news.
    let nextCheck = Locked(StoreNode.now)
    /// The error that was reported last, so that one that lasts is reported once.
    private let lastReport = Locked<StoreError.Code?>(nil)
    /// Whether it was reported that the clock is ahead of the server's.
    private let isClockAhead = Locked(false)

    /// The longest pause between two attempts to reach the server, in milliseconds.
    private static let pauseMax = 1_000
    /// How long a server may take to notice that a connection was given up, in milliseconds. Later
    /// another check finds it.
    private static let noticeMilliseconds = 1_000
    private static var now: Deadline { Deadline(afterMilliseconds: 0) }

    init(_ plan: NodePlan, _ session: StoreSession, _ actions: Actions) throws {
        self.plan = plan
        self.session = Locked(session)
        self.actions = actions
        server = try plan.makeServer()
        latest = LatestHead(plan.makeServer)
        latest.observe { [weak self] in self?.note(latest: $0) }
        observe(session)
    }

    /// When this node has seen the end of the server's log last; nil if it has not yet.
    var lastContact: EventTime? { contact.withLock { $0 } }

    /// Starts the thread, which does nothing until `start`.
    func startThread() throws { try queue.start() }

    func start() throws {
        try queue.enqueue { [weak self] in self?.run() }
    }

    /// Gives up the turn and the connection until `resume`. Waits for nothing.
    func suspend() {
        let shared = session.withLock { $0 }.engine.shared
        let connection = shared?.turnConnection
        progress.change { progress in
            guard progress.phase == .running else { return }
            (progress.phase, progress.wasSuspended) = (.suspended, true)
            progress.givenUp = connection ?? progress.givenUp
        }
        shared?.endTurn(Self.suspended)
        server.disconnect()
        latest.suspend()
    }

    /// Connects again, shows what other nodes have written, and takes the turn if it is free.
    func resume() -> Attempt {
        var last = 0
        progress.change { progress in
            if progress.phase == .suspended { progress.phase = .running }
            last = progress.begunCount
        }
        latest.resume()
        return Attempt(node: self, last: last)
    }

    /// The next check of the server.
    struct Attempt {
        fileprivate let node: StoreNode
        /// The one before it, which may still run.
        fileprivate let last: Int

        /// Returns when it was made, perhaps in vain, or will not be made. The calling thread must
        /// not hold the writer lock.
        func wait() {
            node.progress.wait { progress in
                progress.lastEnded > last || progress.phase != .running ? () : nil
            }
        }
    }

    private static let suspended = LogError(.suspended, "the store is suspended")

    /// Ends the thread, and waits for its end.
    func stop() {
        progress.change { $0.phase = .ended }
        server.disconnect()
        turns.end()
        latest.stop()
        queue.stop()
    }

    private func run() {
        var isConnected = false
        var pause = 1
        var news: LogHead?
        while let (number, wasSuspended) = nextAttempt() {
            do {
                if wasSuspended || !isConnected {
                    try server.connect()
                    (isConnected, news) = (true, nil)
                }
                if try !follow(to: news) { try checkServer() }
                progress.change { $0.lastEnded = number }
                // A connection that was made meanwhile is not the one that was given up.
                if progress.withLock({ $0.wasSuspended }) { continue }
                news = try nextNews()
                pause = 1
                lastReport.withLock { $0 = nil }
            } catch {
                isConnected = false
                let failure = (error as? ServerError).map { StoreError(LogError($0)) }
                reportOnce(flushFailure() ?? failure ?? StoreError.wrapping(error))
                progress.change { $0.lastEnded = number }
                _ = progress.wait(atMost: pause) { $0.phase == .ended ? () : nil }
                pause = min(2 * pause, Self.pauseMax)
            }
        }
    }

    /// Gives the events of the copy to the operating system while the server is away; returns why
    /// that has failed.
    private func flushFailure() -> StoreError? {
        guard progress.withLock({ $0.phase == .running }) else { return nil }
        do {
            try flushCopy()
            return nil
        } catch {
            return StoreError.wrapping(error)
        }
    }

    private func flushCopy() throws {
        try StoreError.wrap(try session.withLock { $0 }.engine.shared?.flushCopy())
    }

    /// The number of the next check of the server, and whether the store was suspended since the
    /// one before; waits while it is. Nil at the end.
    private func nextAttempt() -> (number: Int, wasSuspended: Bool)? {
        // It may have connected since the connection was given up.
        if progress.withLock({ $0.phase == .suspended }) { server.disconnect() }
        return progress.wait { progress -> (number: Int, wasSuspended: Bool)?? in
            switch progress.phase {
            case .suspended: return nil
            case .ended: return .some(nil)
            case .running:
                defer { progress.wasSuspended = false }
                progress.begunCount += 1
                return (progress.begunCount, progress.wasSuspended)
            }
        }
    }

    /// Shows what the writer has announced; returns false if the server should be checked.
    private func follow(to news: LogHead?) throws -> Bool {
        let session = session.withLock { $0 }
        guard let news, !nextCheck.withLock({ $0.hasPassed }), common.withLock({ $0 }) == nil,
            let shared = session.engine.shared,
            try shared.catchUp(from: server, through: news)
        else { return false }
        try actions.withWriterLock { try actions.follow(session) }
        return true
    }

    /// Checks which node writes, and the whole state of the log on the server.
    private func checkServer() throws {
        progress.withLock { $0.hasLostTurn = false }
        nextCheck.withLock { $0 = Self.now }
        let isComplete = try isComplete()
        try flushCopy()
        guard isComplete else { return }
        contact.withLock { $0 = EventTime(microseconds: actions.clock.nowMicroseconds()) }
        nextCheck.withLock { $0 = Deadline(afterMilliseconds: plan.pollMilliseconds) }
    }

    /// Shows what the server has, and takes the turn if it is free; returns false if something has
    /// changed meanwhile, so that it has to be checked again.
    private func isComplete() throws -> Bool {
        if let last = common.withLock({ $0 }) { try beginAgain(after: last) }
        let session = session.withLock { $0 }
        guard let shared = session.engine.shared else { return true }
        let own = shared.turnConnection
        let turn = try server.turn()
        // Only this thread takes the turn.
        if let own {
            progress.withLock { $0.ownTurn = own }
            // It may have connected again meanwhile.
            guard shared.turnConnection == own else { return false }
            if turn?.connection == own {
                try shared.endTurnIfBehind(server)
                guard shared.isWriter else {
                    session.subscriptions.pause()
                    return false
                }
                continueSubscriptions(session)
                return true
            }
            session.subscriptions.pause()
            if let turn {
                shared.endTurn(of: own, .notTheWriter(turn.node))
                // A thread that sends ends it.
                return shared.isWriter
            }
            try shared.renewTurn()
            // As the server says, not as this node believes.
            guard let turn = try server.turn(), turn.connection == shared.turnConnection
            else { return true }
            progress.withLock { $0.ownTurn = turn.connection }
            continueSubscriptions(session)
            return true
        }
        if shared.isEndingTurn { return false }
        let other = try turnOfAnother(turn)
        session.subscriptions.pause()
        shared.noteWriter(other?.node)
        switch try shared.catchUp(from: server) {
        case .complete: try actions.withWriterLock { try actions.follow(session) }
        case .belowFloor:
            throw StoreError(
                LogError(
                    .belowFloor,
                    "the server does not keep the event after the last one of this node; restore "
                        + "the server"))
        case .historyReplaced(let last):
            let last = SequenceNumber(rawValue: last)
            common.withLock { $0 = last }
            try beginAgain(after: last)
            return false
        }
        guard plan.role != .reader, other == nil else { return true }
        do {
            try takeTurn(shared, session)
        } catch ServerError.refused(let refusal) where refusal.code == .clockAhead {
            // It shows everything, and may not write.
            let isKnown = isClockAhead.withLock { isAhead in
                defer { isAhead = true }
                return isAhead
            }
            if !isKnown { actions.report(StoreError(refusal)) }
        }
        return true
    }

    /// Waits until the server has noticed that this node gave up its turn.
    private func turnOfAnother(_ turn: TurnHolder?) throws -> TurnHolder? {
        var turn = turn
        let deadline = Deadline(afterMilliseconds: Self.noticeMilliseconds)
        while let found = turn, found.connection == progress.withLock({ $0.givenUp }),
            !deadline.hasPassed
        {
            _ = progress.wait(atMost: 1) { $0.phase == .running ? nil : () }
            turn = try server.turn()
        }
        return turn
    }

    private func takeTurn(_ shared: any SharedLog, _ session: StoreSession) throws {
        try plan.checkClock(actions.clock, of: server)
        isClockAhead.withLock { $0 = false }
        guard let turn = try shared.prepareTurn() else { return }
        progress.withLock { $0.ownTurn = turn.connection }
        do {
            try actions.withWriterLock {
                shared.beginTurn(turn)
                try actions.follow(session)
                session.publication?.beginTurn()
                session.recorder.reset(for: session.newest)
            }
        } catch {
            // It could append nothing, and other nodes perhaps can.
            shared.endTurn(.notTheWriter(nil))
            throw error
        }
        noteTurn(shared, session)
    }

    /// Wakes those that wait for the turn of this node, which it has taken.
    private func noteTurn(_ shared: any SharedLog, _ session: StoreSession) {
        // The store may have been suspended before it was.
        if progress.withLock({ $0.phase != .running }) { shared.endTurn(Self.suspended) }
        guard shared.isWriter else { return }
        turns.raise(turns.last.next)
        continueSubscriptions(session)
    }

    /// Lets subscriptions handle events, unless they do or the store is suspended.
    private func continueSubscriptions(_ session: StoreSession) {
        progress.withLock { progress in
            guard progress.phase == .running, session.subscriptions.isPaused else { return }
            session.subscriptions.resume()
        }
    }

    /// Shows the history that the server has now; tried again if it fails.
    private func beginAgain(after last: SequenceNumber) throws {
        // It waits for queued blocks, which `resume` lets run when it has returned.
        progress.change { $0.lastEnded = $0.begunCount }
        let next = try actions.beginAgain(last)
        session.withLock { $0 = next }
        observe(next)
        common.withLock { $0 = nil }
        // It has the turn if ids had to be rewritten.
        guard let shared = next.engine.shared, let turn = shared.turnConnection else { return }
        progress.withLock { $0.ownTurn = turn }
        noteTurn(shared, next)
    }

    private func reportOnce(_ error: StoreError) {
        if progress.withLock({ $0.phase != .running || $0.wasSuspended }) { return }
        let isNew = lastReport.withLock { code in
            defer { code = error.code }
            return code != error.code
        }
        if isNew { actions.report(error) }
    }
}
