import SkyrosDisk
import SkyrosLog

/// A connection to the primary of a simulated quorum.
final class SimulatedServer: LogServer {
    private let quorum: SimulatedQuorum
    /// The era in which it was connected, and its number; nil if it is not.
    private let session = Locked<(era: Int, number: Int)?>(nil)
    /// The news that `waitForNews` has returned for; nil if this connection gets none yet.
    private let seen = Locked<Int?>(nil)
    private let isWoken = Locked(false)

    init(_ quorum: SimulatedQuorum) {
        self.quorum = quorum
    }

    func connect() throws(ServerError) {
        disconnect()
        let next = try quorum.state.withLock { state throws(ServerError) in
            if let refusal = state.refusal { throw refusal }
            state.connectionCount += 1
            return (state.era, state.connectionCount)
        }
        session.withLock { $0 = next }
        seen.withLock { $0 = nil }
    }

    func disconnect() {
        let former = session.withLock { session in
            defer { session = nil }
            return session
        }
        guard let former else { return }
        quorum.state.withLock { state in
            if state.turn?.connection == "\(former.number)" { state.turn = nil }
        }
        // PostgreSQL does not notify other connections of it.
        quorum.news.change { _ in }
    }

    func takeTurn(as node: String) throws(ServerError) -> TurnHolder {
        try withSession { state, number in
            let own = TurnHolder(node: node, connection: number, isOwn: true)
            if quorum.sharesTurn { return own }
            if state.turn == nil { state.turn = own }
            return state.turn?.seen(from: number) ?? own
        }
    }

    func turn() throws(ServerError) -> TurnHolder? {
        try withSession { state, number in state.turn?.seen(from: number) }
    }

    func announce(_ head: LogHead) throws(ServerError) {
        try withSession { _, _ in }
        quorum.announce(head)
    }

    func wait(atMost milliseconds: Int) throws(ServerError) {
        seen.withLock { $0 = nil }
        _ = try news(after: .max, atMost: milliseconds)
    }

    func wake() {
        isWoken.withLock { $0 = true }
        quorum.news.change { _ in }
    }

    func waitForNews(atMost milliseconds: Int) throws(ServerError) -> LogHead? {
        guard let seen = seen.withLock({ $0 }) else {
            try withSession { _, _ in }
            self.seen.withLock { $0 = quorum.news.withLock { $0.count } }
            return nil
        }
        guard let news = try news(after: seen, atMost: milliseconds), news.count > seen else {
            return nil
        }
        self.seen.withLock { $0 = news.count }
        return news.lastOther > seen ? nil : news.head
    }

    /// Waits for news, `wake`, or the end of the connection.
    private func news(
        after seen: Int, atMost milliseconds: Int
    ) throws(ServerError) -> SimulatedQuorum.News? {
        try withSession { _, _ in }
        let news = quorum.news.wait(atMost: milliseconds) { news -> SimulatedQuorum.News? in
            let isWoken = isWoken.withLock { isWoken in
                defer { isWoken = false }
                return isWoken
            }
            let isOver = isWoken || !quorum.state.withLock { isConnected($0) }
            return isOver || news.count > seen ? news : nil
        }
        try withSession { _, _ in }
        return news
    }

    private func withSession<R>(
        _ body: (inout SimulatedQuorum.State, String) -> R
    ) throws(ServerError) -> R {
        let number = session.withLock { $0?.number } ?? 0
        return try quorum.state.withLock { state throws(ServerError) in
            try check(state)
            state.noteStatement(after: quorum.beginning)
            return body(&state, "\(number)")
        }
    }

    func time() throws(ServerError) -> Int64? {
        try withSession { _, _ in }
        return SystemClock().nowMicroseconds() - quorum.clockLag
    }

    func positions() throws(ServerError) -> [String: RemotePosition] {
        try withSession { state, _ in state.positions }
    }

    func save(_ position: RemotePosition?, of name: String) throws(ServerError) {
        try withSession { state, _ in state.positions[name] = position }
    }

    func exists() throws(ServerError) -> Bool { try withSession { state, _ in state.hasLog } }

    /// The log has the identity of the quorum.
    func create(_ storeID: StoreID) throws(ServerError) {
        try withSession { state, _ in state.hasLog = true }
    }

    func state() throws(ServerError) -> ServerState {
        try withPrimary { machine, _ throws(ServerError) in
            let first = machine.frames.first?.sequences.lowerBound ?? machine.rows.first?.sequence
            return ServerState(
                storeID: quorum.storeID, firstSequence: first ?? 1,
                sealedThrough: machine.frames.last?.sequences.upperBound ?? 0,
                head: machine.head(machine.visibleCount, quorum.beginning))
        }
    }

    func chainHash(through sequence: UInt64) throws(ServerError) -> ChainHash? {
        try withPrimary { machine, _ throws(ServerError) in
            if sequence == 0 { return quorum.beginning.chainHash }
            return machine.rows.first { $0.sequence == sequence }?.chainHash
        }
    }

    func frame(containing sequence: UInt64) throws(ServerError) -> RemoteFrame? {
        try withPrimary { machine, _ throws(ServerError) in
            machine.frames.first { $0.sequences.contains(sequence) }
        }
    }

    func seal(_ frame: RemoteFrame) throws(ServerError) {
        try commit(SimulatedQuorum.Commit(frame: frame), quorum.nextEvent()) {
            machine throws(ServerError) in
            let last = machine.log.last { $0.frame != nil }?.frame?.sequences.upperBound ?? 0
            let isSame = machine.log.lazy.flatMap(\.batches).contains {
                $0.sequence == frame.sequences.upperBound && $0.chainHash == frame.chainHashAfter
            }
            guard frame.sequences.lowerBound == last + 1,
                isSame || quorum.canary == .sealsWithoutComparing
            else { throw .conflict }
        }
    }

    func batches(
        from sequence: UInt64, byteCountMax: Int
    ) throws(ServerError) -> [RemoteBatch] {
        let batches = try withPrimary { machine, _ throws(ServerError) in
            var byteCount = 0
            return machine.rows.filter { $0.sequence >= sequence }
                .prefix { batch in
                    defer { byteCount += batch.bytes.count }
                    return byteCount == 0 || byteCount + batch.bytes.count <= byteCountMax
                }
        }
        quorum.state.withLock { $0.readCount += batches.count }
        return Array(batches)
    }

    func origin(of sequence: UInt64) throws(ServerError) -> BatchOrigin? {
        try withPrimary { machine, _ throws(ServerError) in
            guard let row = machine.rows.first(where: { $0.sequence == sequence }) else {
                return nil
            }
            let commit = machine.log.first { $0.batches.contains(row) }
            return BatchOrigin(chainHash: row.chainHash, number: commit?.origin ?? 0)
        }
    }

    func append(
        _ batches: [RemoteBatch], after head: LogHead, origin: UInt64
    ) throws(ServerError) {
        let event = quorum.nextEvent()
        let commit = SimulatedQuorum.Commit(batches: batches, origin: origin)
        quorum.state.withLock { state in
            if event == .delayed, isConnected(state) { state.delay(commit, after: head) }
        }
        try self.commit(commit, event) {
            machine throws(ServerError) in
            // An insertion waits for a transaction that has inserted the same number.
            let last = machine.head(machine.log.count, quorum.beginning)
            let fits =
                quorum.canary == .comparesNumbersOnly
                ? last.sequence == head.sequence : last == head
            guard fits else { throw .conflict }
        }
    }

    func waitForQuorum() throws(ServerError) {
        try commit(SimulatedQuorum.Commit(), quorum.nextEvent()) { _ in }
    }

    /// Commits on the primary, and waits for a standby, unless something comes between.
    private func commit(
        _ commit: SimulatedQuorum.Commit, _ event: SimulatedQuorum.Event,
        if isAllowed: (SimulatedQuorum.Machine) throws(ServerError) -> Void
    ) throws(ServerError) {
        if event == .lostBefore || event == .delayed { throw lose("the connection was lost") }
        try quorum.state.withLock { state throws(ServerError) in
            let era = session.withLock { $0?.era }
            guard let era else { throw .unavailable("there is no connection") }
            // As libpq, which does not know whether the statement has arrived.
            guard era == state.era else { throw .unknown("the connection was lost") }
            state.noteStatement(after: quorum.beginning)
            try isAllowed(state.machines[state.primary])
            state.machines[state.primary].log.append(commit)
        }
        switch event {
        case .none, .lostBefore, .delayed: quorum.state.withLock { $0.replicate() }
        case .lostAfter:
            quorum.state.withLock { $0.replicate() }
            throw lose("the connection was lost")
        case .lostWhileWaiting: throw lose("the connection was lost")
        case .cancelled:
            quorum.state.withLock { state in
                let count = state.machines[state.primary].log.count
                state.machines[state.primary].visibleCount = count
            }
            if quorum.canary == .ignoresWarnings { return }
            throw .unknown("canceling wait for synchronous replication")
        case .restarted:
            quorum.state.withLock { $0.restart() }
            throw lose("the server restarted")
        case .failedOverBefore, .failedOverAfter:
            quorum.state.withLock { state in
                if event == .failedOverAfter { state.replicate() }
                state.failOver(toWorst: quorum.promotesAny)
            }
            throw lose("the server was lost")
        }
    }

    private func lose(_ why: String) -> ServerError {
        disconnect()
        return .unknown(why)
    }

    private func withPrimary<R>(
        _ body: (SimulatedQuorum.Machine, Int) throws(ServerError) -> R
    ) throws(ServerError) -> R {
        try quorum.state.withLock { state throws(ServerError) in
            try check(state)
            state.noteStatement(after: quorum.beginning)
            return try body(state.machines[state.primary], state.primary)
        }
    }

    private func isConnected(_ state: SimulatedQuorum.State) -> Bool {
        session.withLock { $0?.era } == state.era
    }

    private func check(_ state: SimulatedQuorum.State) throws(ServerError) {
        let era = session.withLock { $0?.era }
        guard let era else { throw .unavailable("there is no connection") }
        guard era == state.era else { throw .unavailable("the connection was lost") }
    }
}

extension TurnHolder {
    fileprivate func seen(from connection: String) -> TurnHolder {
        TurnHolder(
            node: node, connection: self.connection, isOwn: self.connection == connection)
    }
}
