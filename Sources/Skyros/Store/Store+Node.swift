import SkyrosDisk
import SkyrosLog

extension Store {
    /// Whether write blocks can run here: of a store whose log is on a server, whether this node
    /// has the turn to write.
    public var isWriter: Bool { session.engine.shared?.isWriter ?? true }

    /// The node that writes a store whose log is on a server; nil if none does, or if the log is in
    /// files.
    public var writerNode: String? { session.engine.shared?.writer }

    /// Suspends until this node has the turn to write.
    ///
    /// - Throws: `StoreError` with `.closed` if the store is closed before; `CancellationError`.
    public func waitUntilWriter() async throws {
        while !isWriter {
            guard let turns = node.withLock({ $0 })?.turns else { throw StoreError.closed }
            let known = turns.last
            if isWriter { return }
            let hasTurn = await turns.wait(after: known)
            try Task.checkCancellation()
            guard hasTurn else { throw StoreError.closed }
        }
    }

    /// Suspends until readers of this node see an event, which another node may have written.
    ///
    ///     try await store.wait(for: receipt.sequence)
    ///
    /// - Throws: `StoreError` with `.closed` or `.erased` if the store ends before,
    ///   `.historyChanged` if the server gets another history before; `CancellationError`.
    public func wait(for sequence: SequenceNumber) async throws {
        let session = session
        guard sequence > .zero, session.view.current.sequence < sequence else { return }
        let isThere = await session.signal.wait(after: sequence.advanced(by: -1))
        try Task.checkCancellation()
        try session.signal.check()
        guard isThere || session.view.current.sequence >= sequence else { throw StoreError.closed }
    }

    /// The state of this node after an event that another node may have written: what a write has
    /// returned is seen by a read elsewhere.
    ///
    ///     let receipt = try await store.writeWithReceipt { … }.receipt   // on one node
    ///     let state = try await store.read(after: receipt)               // on another
    ///
    /// - Throws: as ``wait(for:)``.
    public func read(after receipt: Receipt) async throws -> Snapshot {
        if let sequence = receipt.sequence { try await wait(for: sequence) }
        return snapshot
    }

    /// The newest state of all nodes: it has everything that was acknowledged, here or elsewhere,
    /// before the call.
    ///
    ///     let stock = try await store.readLatest().get(Item.self, id)
    ///
    /// Other reads come from the memory of this node, which may be some milliseconds behind, or
    /// longer while it cannot reach the server. In a store whose log is in files it is `snapshot`.
    ///
    /// - Complexity: a round to the server and its quorum. Calls at the same time share it.
    /// - Throws: `StoreError` with `.serverUnavailable` if the server cannot be reached,
    ///   `.historyChanged` if it has another history than this node, `.suspended`; as
    ///   ``wait(for:)``.
    public func readLatest() async throws -> Snapshot {
        guard let latest = node.withLock({ $0 })?.latest else { return snapshot }
        try checkOpen()
        let session = session
        let head = try await latest.ask()
        let sequence = SequenceNumber(rawValue: head.sequence)
        try await wait(for: sequence)
        let state = session.view.current
        guard try session.hasHistory(through: head) else {
            throw StoreError.historyReplaced(after: nil, through: state.sequence)
        }
        return state
    }

    /// How this node stands to the others; nil if the log is in files.
    public var nodeStatus: NodeStatus? {
        guard let node = node.withLock({ $0 }) else { return nil }
        return NodeStatus(isWriter: isWriter, writer: writerNode, lastContact: node.lastContact)
    }
}

/// How a node of a store stands to the others.
public struct NodeStatus: Hashable, Sendable {
    /// Whether it has the turn to write.
    public let isWriter: Bool
    /// The node that writes; nil if none does.
    public let writer: String?
    /// When it has asked the server last where the log ends, and has shown all of it; nil if it has
    /// not yet. What it shows is at most that old, unless another server has taken over and the one
    /// that was asked does not know that yet: `readLatest` asks the quorum.
    public let lastContact: EventTime?
}

extension Store {
    /// Starts what keeps the store up to date with a server, if its log is on one.
    func startNode() throws {
        guard let plan = resources.node, let shared = session.engine.shared else { return }
        let (session, writer, resources) = (session, writer, resources)
        try StoreError.wrap {
            let actions = StoreNode.Actions(
                withWriterLock: { try writer.withLock($0) },
                follow: { try $0.follow(resources.schema, resources.projections) },
                beginAgain: { [weak self] last in
                    guard let self else { throw StoreError.closed }
                    return try beginAgain(after: last)
                },
                report: resources.report, clock: resources.environment.clock)
            let node = try StoreNode(plan, session, actions)
            if !shared.isWriter { session.subscriptions.pause() }
            try node.startThread()
            // The opening has succeeded. From now on the node may find another history.
            forgetReplacement()
            try node.start()
            self.node.withLock { $0 = node }
        }
    }

    /// Forgets that the server has another history: it was reported. If that fails, the next
    /// opening reports it again.
    private func forgetReplacement() {
        do {
            try ServerCache.forgetReplacement(on: resources.environment.disk)
        } catch {
            resources.report(StoreError.wrapping(error))
        }
    }

    /// Begins another session with the history that the server has now. What this node has shown
    /// after `last` is set aside; states that were taken stay what they are.
    private func beginAgain(after last: SequenceNumber) throws -> StoreSession {
        let syncing = SerialQueue()
        try StoreError.wrap(try syncing.start())
        return try writer.withLock(afterAllJobs: true) {
            try checkOpen()
            let error = StoreError.historyReplaced(after: last, through: view.current.sequence)
            // Events that the server has lost may be nowhere else.
            try StoreError.wrap(try session.engine.shared?.flushCopy())
            session.retire(
                throwing: error, LogError(.otherHistory, "the server has other events now"))
            var next = resources
            try StoreError.wrap {
                let opened = try openAgain()
                (next.log, next.empty) = (opened.log, opened.empty)
                (next.keys, next.checkpointer) = (opened.keys, opened.checkpointer)
                next.evolutionBackup = opened.evolutionBackup
                var (state, dirty) = opened.view.takeDirty()
                resources.projections?.reset()
                resources.projections?.begin([], at: state.sequence)
                state.projections = resources.projections?.values()
                view.replace(state, dirty: dirty)
            }
            next.syncing = syncing
            let session = StoreSession(next, writer)
            session.subscriptions.pause()
            sessions.withLock { $0 = session }
            // A handler of errors finds the other history.
            resources.report(error)
            forgetReplacement()
            return session
        }
    }

    /// Opens the history that the server has now. The node takes the turn to write afterwards, as
    /// after a start, if it is free; only if ids get another type, the opening needs it.
    private func openAgain() throws -> StoreResources {
        func open(_ node: NodePlan?) throws -> StoreResources {
            let opening = StoreOpening(
                environment: resources.environment, schema: resources.schema,
                options: resources.options, node: node)
            return try opening.open(holding: resources.lock, hashSeed: view.current.hashSeed)
        }
        var reader = resources.node
        reader?.role = .reader
        do {
            return try open(reader)
        } catch {
            // The error of an append without the turn.
            guard StoreError.wrapping(error).code == .alreadyOpen, resources.node?.role != .reader
            else { throw error }
            return try open(resources.node)
        }
    }
}

extension StoreSession {
    /// Whether the events of this node up to a number are those of the server.
    func hasHistory(through head: LogHead) throws -> Bool {
        // Before the first event there is nothing to read.
        if head.sequence == 0 { return empty.chainHash == head.chainHash }
        let sequence = SequenceNumber(rawValue: head.sequence)
        return try EventReader(engine).check(through: sequence) == head.chainHash
    }
}

extension StoreError {
    /// The error of a node whose server has other events than the node has shown.
    ///
    /// - Parameters:
    ///   - last: the last event that both have; nil if it is not known yet.
    ///   - shown: the last event that the node has shown.
    static func historyReplaced(
        after last: SequenceNumber?, through shown: SequenceNumber
    ) -> StoreError {
        let text = last.map { "after event \($0)" } ?? "now"
        return StoreError(
            .historyChanged,
            "the server has another history \(text): it was restored from a backup, or a failover "
                + "took events back. This node shows what the server has; its former copy of the "
                + "events was set aside in quarantine/",
            at: StoreError.Place(sequences: last.map { $0.next...max($0.next, shown) }))
    }

    /// The error of a call that is for logs in files.
    package static func ofSharedLog(_ what: String) -> StoreError {
        StoreError(
            .invalidInput,
            "a store whose log is on a server cannot be \(what): its other nodes would still have "
                + "it all")
    }
}
