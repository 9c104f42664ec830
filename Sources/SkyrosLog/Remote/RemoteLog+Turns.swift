import SkyrosDisk

extension RemoteLog: SharedLog {
    package var shared: (any SharedLog)? { self }

    package var isWriter: Bool { state.withLock { $0.turn != nil } }

    package func checkWriter() throws(LogError) {
        try state.withLock { state throws(LogError) in try state.checkOpen() }
    }

    package var writer: String? { state.withLock { $0.turn?.node ?? $0.otherWriter } }

    package func observe(_ body: @escaping @Sendable (Result<LogPosition, LogError>) -> Void) {
        observers.withLock { $0.append(Callback(body)) }
    }

    package func catchUp(
        from server: any LogServer
    ) throws(ServerError) -> FileLog.CatchingUp {
        try following.withLock { _ throws(ServerError) in
            if isWriter || isEndingTurn { return .complete }
            let outcome = try local.catchUp(with: server, time: options.time)
            state.withLock { $0.follow(local.head) }
            return outcome
        }
    }

    package func catchUp(
        from server: any LogServer, through announced: LogHead
    ) throws(ServerError) -> Bool {
        try following.withLock { _ throws(ServerError) in
            if isWriter || isEndingTurn { return false }
            let isComplete = try local.catchUp(
                with: server, through: announced, time: options.time)
            if isComplete { state.withLock { $0.follow(local.head) } }
            return isComplete
        }
    }

    package func prepareTurn() throws(ServerError) -> TurnHolder? {
        try following.withLock { _ throws(ServerError) in
            if isWriter || isEndingTurn { return nil }
            do throws(ServerError) {
                try server.connect()
                let turn = try server.takeTurn(as: options.node)
                guard turn.isOwn else {
                    server.disconnect()
                    state.withLock { $0.otherWriter = turn.node }
                    return nil
                }
                // The former writer may have appended until now.
                if try local.catchUp(with: server, time: options.time) == .complete { return turn }
            } catch {
                // No node could write as long as this connection had the turn.
                server.disconnect()
                throw error
            }
            server.disconnect()
            return nil
        }
    }

    package func beginTurn(_ turn: TurnHolder) {
        state.withLock { state in
            guard state.failure?.code != .closed else { return }
            state.follow(local.head)
            state.turn = turn
            state.failure = nil
            state.hasWritten = false
        }
    }

    /// Takes the turn to write, if no other node has it and the local copy is complete; returns
    /// whether this node has it now.
    package func takeTurn() throws(ServerError) -> Bool {
        if let turn = try prepareTurn() { beginTurn(turn) }
        return isWriter
    }

    package func renewTurn() throws(ServerError) {
        // As the leader of an empty group: no other thread uses the connection then.
        let mayRenew = state.withLock { state in
            guard state.turn != nil, !state.isSending else { return false }
            state.isSending = true
            return true
        }
        guard mayRenew else { return }
        defer { endSending() }
        try server.connect()
        let turn = try server.takeTurn(as: options.node)
        let head = try server.state().head
        state.withLock { state in
            guard turn.isOwn else {
                // The server may still think that the former connection has it.
                if turn.connection != state.turn?.connection {
                    state.failure = state.failure ?? .notTheWriter(turn.node)
                }
                return
            }
            state.turn = turn
            // Another node had the turn meanwhile, or the server has lost events.
            if head != state.acknowledged.head {
                state.failure = state.failure ?? .notTheWriter(nil)
            }
        }
    }

    package func endTurn(of connection: String, _ error: LogError) {
        // The thread that sends may have another connection, and learns it from the server.
        endTurn(error) { $0.turn?.connection == connection && !$0.isSending }
    }

    package func endTurnIfBehind(_ server: any LogServer) throws(ServerError) {
        let (wasSending, before) = state.withLock { ($0.isSending, $0.acknowledged) }
        let head = try server.state().head
        // What is being sent may be there or not.
        guard !wasSending, before.head != head else { return }
        endTurn(.notTheWriter(nil)) {
            $0.turn != nil && !$0.isSending && $0.acknowledged == before
        }
    }

    package func endTurn(_ error: LogError) {
        let hasTurn = state.withLock { state in
            guard state.turn != nil else { return false }
            // A thread that sends ends it.
            state.failure = state.failure ?? error
            return true
        }
        // A turn that was prepared is given up, too.
        guard hasTurn else { return server.disconnect() }
        endTurn(error) { $0.turn != nil && !$0.isSending }
    }

    private func endTurn(_ error: LogError, if isOver: (State) -> Bool) {
        let ends = state.withLock { state in
            guard isOver(state) else { return false }
            state.isSending = true
            state.fail(error)
            return true
        }
        if ends { finishTurn(error) }
    }

    /// Announces the end of the turn, by the thread that counts as sending: until then this node
    /// takes no other turn. Ends the round.
    func finishTurn(_ error: LogError) {
        disconnect()
        notify(.failure(error))
        state.withLock { $0.endSending(error) }
    }

    /// Gives up the connection for writing, after an announcement of what was written. The calling
    /// thread is the only one that uses it.
    func disconnect() {
        let head = state.withLock { state in
            defer { state.hasWritten = false }
            return state.hasWritten ? state.acknowledged.head : nil
        }
        // They also check the log by themselves.
        if let head { try? server.announce(head) }
        server.disconnect()
    }

    package func flushCopy() throws(LogError) { try local.flush() }

    package func settle() {
        // An error ends the turn.
        try? sync(through: end)
        waitForSender()
    }

    /// Waits until no thread sends: what was staged before is acknowledged or lost then.
    func waitForSender(ending error: LogError? = nil) {
        while true {
            let group = state.withLock { state -> CommitGroup? in
                guard state.isSending else {
                    if let error { state.fail(error) }
                    return nil
                }
                if let error { state.failure = state.failure ?? error }
                // Before it has begun, a round takes over those who wait for it.
                return state.sendingBytes > 0
                    ? FileLog.join(&state.currentGroup) : FileLog.join(&state.nextGroup)
            }
            guard let group else { return }
            if case .lead = group.wait() { try? sendAsLeader() }
        }
    }

    /// Whether a turn has ended, and not everybody knows it yet.
    package var isEndingTurn: Bool { state.withLock { $0.turn == nil && $0.isSending } }

    package func noteWriter(_ node: String?) {
        state.withLock { state in
            state.otherWriter = node
            // From now on a write is refused because this node does not have the turn.
            if state.turn == nil, !state.isSending { state.failure = nil }
        }
    }

    package var turnConnection: String? { state.withLock { $0.turn?.connection } }

    func notify(_ outcome: Result<LogPosition, LogError>) {
        for observer in observers.withLock({ $0 }) { observer.call(outcome) }
    }
}

extension RemoteLog.State {
    /// Continues after batches that other nodes have written. Nothing is staged.
    mutating func follow(_ head: LogHead) {
        // A position of what was lost is never reached: it is not asked for its number.
        acknowledged = LogPosition(byteCount: end.byteCount, head: head)
        end = acknowledged
    }

    /// Forgets what is staged, and takes no more batches.
    mutating func fail(_ error: LogError) {
        failure = error
        turn = nil
        staged = []
        stagedByteCount = 0
        guard acknowledged.byteCount < end.byteCount else { return }
        lost.append((acknowledged.byteCount + 1...end.byteCount, error))
        // The end is a position that is reached, for those who only want all that there is.
        end = LogPosition(byteCount: end.byteCount + 1, head: acknowledged.head)
        acknowledged = end
    }

    /// Throws the error of a position that was lost.
    func checkNotLost(_ position: LogPosition) throws(LogError) {
        if let lost = lost.last(where: { $0.positions.contains(position.byteCount) }) {
            throw lost.error
        }
    }
}
