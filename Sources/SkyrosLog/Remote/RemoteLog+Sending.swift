import SkyrosDisk

extension RemoteLog {
    private enum Role {
        /// The position is acknowledged already.
        case none
        case follower(CommitGroup)
        /// The thread sends for every waiting one.
        case leader
    }

    /// Returns when the quorum has every batch up to `position`.
    ///
    /// - Throws: `LogError` with `.conflict` if another node has appended: what was staged is lost
    ///   then; `.outcomeUnknown` if the server could not be asked in time.
    package func sync(through position: LogPosition) throws(LogError) {
        do throws(LogError) {
            switch try role(for: position) {
            case .none: return
            case .leader: try sendAsLeader()
            case .follower(let group):
                switch group.wait() {
                case .durable: break
                case .failed(let error): throw error
                case .lead: try sendAsLeader()
                }
            }
        } catch {
            // A round may take several transactions, of which the first ones were acknowledged.
            if try isAcknowledged(position) { return }
            throw error
        }
        guard try isAcknowledged(position) else {
            throw LogError(.notWriter, "the turn to write ended before the event was sent")
        }
    }

    /// - Throws: `LogError` if what reaches the position was lost.
    private func isAcknowledged(_ position: LogPosition) throws(LogError) -> Bool {
        try state.withLock { state throws(LogError) in
            try state.checkNotLost(position)
            return state.acknowledged.byteCount >= position.byteCount
        }
    }

    private func role(for position: LogPosition) throws(LogError) -> Role {
        try state.withLock { state throws(LogError) in
            try state.checkNotLost(position)
            if state.acknowledged.byteCount >= position.byteCount { return .none }
            // Its outcome counts, even if the turn has ended meanwhile.
            if state.isSending, position.byteCount <= state.sendingBytes {
                return .follower(FileLog.join(&state.currentGroup))
            }
            try state.checkOpen()
            guard state.isSending else {
                state.isSending = true
                return .leader
            }
            return .follower(FileLog.join(&state.nextGroup))
        }
    }

    /// Sends everything that is staged. Later batches wait for the next leader.
    func sendAsLeader() throws(LogError) {
        let (end, failure) = state.withLock { state in
            state.sendingBytes = state.end.byteCount
            state.currentGroup = state.nextGroup
            state.nextGroup = nil
            return (state.end, state.failure)
        }
        do throws(LogError) {
            // The turn may have ended since this thread became the leader.
            if let failure { throw failure }
            while let group = nextGroup(through: end) {
                try send(group)
                try acknowledge(group)
            }
        } catch {
            state.withLock { $0.fail(error) }
            finishTurn(error)
            throw error
        }
        endSending()
    }

    /// Ends a round that has succeeded, and the turn if it was given up meanwhile.
    func endSending() {
        let failure = state.withLock { state -> LogError? in
            if let failure = state.failure {
                state.fail(failure)
                return failure
            }
            state.endSending(nil)
            return nil
        }
        if let failure { finishTurn(failure) }
    }

    /// The batches of the next transaction; nil if all through `end` are acknowledged.
    private func nextGroup(through end: LogPosition) -> ArraySlice<Staged>? {
        state.withLock { state in
            var byteCount = 0
            let count = state.staged.prefix { staged in
                byteCount += staged.batch.bytes.count
                return staged.position <= end
                    && (byteCount <= options.groupBytesMax || byteCount == staged.batch.bytes.count)
            }.count
            return count == 0 ? nil : state.staged.prefix(min(count, options.groupCountMax))
        }
    }

    /// Moves what was acknowledged to the local log.
    ///
    /// - Throws: if the local log does not take it. The batches are safe on the server, but cannot
    ///   be read here.
    private func acknowledge(_ group: ArraySlice<Staged>) throws(LogError) {
        do throws(LogError) {
            for staged in group {
                try staged.batch.bytes.withBytes { bytes throws(LogError) in
                    _ = try local.append(
                        bytes, as: staged.batch.sequence, timeBefore: staged.timeBefore,
                        deferring: true)
                }
            }
        } catch {
            throw LogError(
                .outcomeUnknown,
                "the server has the events, but the local copy of the log does not take them: "
                    + "\(error.message); open the store again",
                sequences: Self.sequences(of: group.map(\.batch)), cause: error.cause)
        }
        guard let last = group.last else { return }
        // Before the threads that wait for it return: a write can be read when it has returned.
        notify(.success(last.position))
        state.withLock { state in
            state.staged.removeFirst(group.count)
            state.stagedByteCount -= group.reduce(0) { $0 + $1.batch.bytes.count }
            state.acknowledged = last.position
            state.hasWritten = true
        }
    }

    // MARK: One group

    /// Appends a group on the server, once, whatever happens to the connection.
    private func send(_ group: ArraySlice<Staged>) throws(LogError) {
        let batches = group.map(\.batch)
        let head = durableEnd.head
        // Another node may send the same events, at the same time by its clock.
        let origin = options.entropy.next()
        // Begins with the first error.
        var deadline: Deadline?
        // Whether an attempt may have arrived, or may still arrive.
        var isUnknown = false
        while true {
            do throws(ServerError) {
                if isUnknown, try isCommitted(batches, after: head, origin) { return }
                return try server.append(batches, after: head, origin: origin)
            } catch {
                let why: String
                switch error {
                // An earlier attempt may have arrived since.
                case .conflict where isUnknown: why = "the log has changed"
                case .conflict: throw Self.deposed(after: head)
                case .refused(let refusal): throw outcome(refusal, isUnknown, batches)
                case .unknown(let reason): (why, isUnknown) = (reason, true)
                case .unavailable(let reason): why = reason
                }
                if let deadline, deadline.hasPassed { throw lost(why, isUnknown, batches) }
                let end = deadline ?? Deadline(afterMilliseconds: options.patienceMilliseconds)
                deadline = end
                try reconnect(until: end, why, isUnknown, batches)
            }
        }
    }

    /// What a refusal means for batches of which an earlier attempt may have arrived.
    private func outcome(
        _ refusal: LogError, _ isUnknown: Bool, _ batches: [RemoteBatch]
    ) -> LogError {
        // The one of `deposed`: others are in their place.
        guard isUnknown, refusal.code != .notWriter else { return refusal }
        return unknown(refusal.message, batches, cause: refusal.cause)
    }

    /// The error of batches whose server could not be reached in time.
    private func lost(_ why: String, _ isUnknown: Bool, _ batches: [RemoteBatch]) -> LogError {
        if isUnknown { return unknown(why, batches) }
        return LogError(
            .unavailable, "the server cannot be reached, and nothing was written: \(why)",
            sequences: Self.sequences(of: batches))
    }

    private func unknown(
        _ why: String, _ batches: [RemoteBatch], cause: DiskError? = nil
    ) -> LogError {
        LogError(
            .outcomeUnknown,
            "the server was lost while it wrote, and could not be asked since (\(why)). The event "
                + "may be there: read it when the server answers again, or repeat the write, if it "
                + "has an idempotency key",
            sequences: Self.sequences(of: batches), cause: cause)
    }

    /// Whether the batches of an earlier attempt are in the log, and the quorum has them.
    ///
    /// - Throws: `.refused` if others are in their place, or the log does not have `head`; also if
    ///   the same bytes are there, and the server does not know any more whose they are.
    private func isCommitted(
        _ batches: [RemoteBatch], after head: LogHead, _ origin: UInt64
    ) throws(ServerError) -> Bool {
        guard let last = batches.last else { return true }
        try server.waitForQuorum()
        // Before the batch is looked for: it may arrive meanwhile.
        let state = try server.state()
        if let found = try server.origin(of: last.sequence) {
            guard found == BatchOrigin(chainHash: last.chainHash, number: origin) else {
                throw .refused(Self.deposed(after: head))
            }
            // It may have arrived after the first wait.
            try server.waitForQuorum()
            return true
        }
        // Another node may have compressed it since.
        let found = try server.compressedChainHash(through: last.sequence, local.format)
        if found == last.chainHash {
            throw .refused(
                LogError(.outcomeUnknown, "the same event was compressed on the server since"))
        }
        if state.head == head { return false }
        throw .refused(Self.deposed(after: head))
    }

    private static func deposed(after head: LogHead) -> LogError {
        LogError(
            .notWriter,
            "another node has written event \(head.sequence + 1), or event \(head.sequence) is "
                + "no longer on the server; what was not acknowledged was not written",
            sequences: head.sequence + 1...head.sequence + 1)
    }

    /// Connects again, as often as it takes.
    ///
    /// - Throws: `LogError` with `.outcomeUnknown`, or `.unavailable` if nothing was sent, after
    ///   the deadline.
    private func reconnect(
        until deadline: Deadline, _ why: String, _ isUnknown: Bool, _ batches: [RemoteBatch]
    ) throws(LogError) {
        var why = why
        var pauseMilliseconds = 0
        var refusal: LogError?
        repeat {
            options.pause(min(pauseMilliseconds, deadline.millisecondsLeft))
            pauseMilliseconds = min(max(10, pauseMilliseconds * 2), 1_000)
            do throws(ServerError) {
                try server.connect()
                // Without the turn the group may still be sent: the chain hash decides.
                let turn = try server.takeTurn(as: options.node)
                return state.withLock { state in
                    if turn.isOwn, state.turn != nil { state.turn = turn }
                }
            } catch {
                switch error {
                case .unavailable(let reason), .unknown(let reason): why = reason
                case .conflict: break
                // The servers may be in the middle of a failover.
                case .refused(let found) where found.code == .insecureDurability:
                    (refusal, why) = (found, found.message)
                case .refused(let found): throw outcome(found, isUnknown, batches)
                }
            }
        } while !deadline.hasPassed
        if !isUnknown, let refusal { throw refusal }
        throw lost(why, isUnknown, batches)
    }

    private static func sequences(of batches: [RemoteBatch]) -> ClosedRange<UInt64>? {
        batches.first.flatMap { first in batches.last.map { first.sequence...$0.sequence } }
    }
}

extension RemoteLog.State {
    /// Ends a round, and lets the next one begin unless this one has failed.
    mutating func endSending(_ failure: LogError?) {
        currentGroup?.end(failure.map { .failed($0) } ?? .durable)
        currentGroup = nil
        sendingBytes = 0
        if let group = nextGroup, failure == nil, group.promoteLeader() { return }
        isSending = false
        if let failure { nextGroup?.end(.failed(failure)) }
        nextGroup = nil
    }
}
