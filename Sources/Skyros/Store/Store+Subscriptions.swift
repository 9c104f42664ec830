import SkyrosLog

// Effects of events: mail, requests to servers, jobs. See `Subscription`.

extension Store {
    /// Calls `handle` with each durable event after the position of the subscription: at least once
    /// each, one after the other, in the order of the log.
    ///
    ///     try store.setPosition(ofSubscription: "mail", to: store.sequence)   // once, at first
    ///
    ///     let mail = try store.subscribe("mail") { event in
    ///         for change in try event.changes(of: Order.self) where change.kind == .inserted {
    ///             try await mailer.confirm(change.after)
    ///         }
    ///     }
    ///
    /// It is for effects outside of the store, which no replay may repeat: only an open store with
    /// this call has them. The position is a fact that is kept in the store, and nothing else knows
    /// it. So without one the subscription does not begin, neither with the first event nor with
    /// the newest: ``setPosition(ofSubscription:to:keepingHistory:)`` says with which.
    ///
    /// An event of which `handle` throws is tried again after a pause, and no later one is handled
    /// before. After a crash the events since the last written position come again: it is written
    /// when nothing is left to handle, at the first failure of an event, and 100 milliseconds after
    /// it has moved. While the store is suspended no handler is called, as another process may
    /// handle the events.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters of ASCII, digits, `-` and `_`. One subscription at a time has it.
    ///   - filter: the events that are handled; the position passes the others. With ids, one that
    ///     deletes all records of the entity is handled if it deletes one of them.
    ///   - policy: when it tries again.
    ///   - handle: called in a task of the cooperative pool. It may read and write the store.
    /// - Returns: the subscription. It ends when it is released, so keep it.
    /// - Throws: `StoreError` with `.positionMissing` if it has no position, or a damaged one;
    ///   `.invalidInput` if the name is not valid or taken; `.closed`, `.suspended`. What comes
    ///   later is its ``Subscription/state``, and reported to ``Options/onError``:
    ///   `.historyChanged` if the position is one of another history, `.belowFloor` if the next
    ///   event is not kept, `.subscriptionFailed` after the last attempt, `.logCorrupt` and the
    ///   like if the log is damaged.
    public func subscribe(
        _ name: String, to filter: EventFilter? = nil, retrying policy: RetryPolicy = .standard,
        _ handle: @escaping @Sendable (AppliedEvent) async throws -> Void
    ) throws -> Subscription {
        try subscribe(
            name, to: filter, retrying: policy, sleep: RetryPolicy.pause, handle)
    }

    /// The same, with the function that waits for the next attempt.
    package func subscribe(
        _ name: String, to filter: EventFilter? = nil, retrying policy: RetryPolicy = .standard,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ handle: @escaping @Sendable (AppliedEvent) async throws -> Void
    ) throws -> Subscription {
        try checkProcess()
        try checkOpen()
        let hub = session.subscriptions
        try PositionFiles.check(name)
        guard let position = try hub.positions.position(of: name) else {
            throw StoreError.positionMissing(name)
        }
        let run = SubscriptionRun(
            name, after: position, in: hub, to: filter, retrying: policy, sleep: sleep, handle)
        run.start(after: try hub.add(run))
        return Subscription(run)
    }

    /// Says which events a subscription has handled: it continues with the one after.
    ///
    /// Reads a part of the log and syncs it, and waits for a prune that runs.
    ///
    /// - Parameters:
    ///   - name: the subscription, which must not run.
    ///   - sequence: the last event that counts as handled; 0 to begin with the first.
    ///   - keepsHistory: whether retention and `prune(before:)` keep the events that
    ///     it has not handled yet. Otherwise it stops with `.belowFloor` if it is too late.
    /// - Throws: `StoreError` with `.noSuchEvent` if there is no such event yet, `.belowFloor` if
    ///   the next one is not kept, `.invalidInput` if the subscription runs, or the name is not
    ///   valid; `.closed`, `.suspended`, `.io`.
    public func setPosition(
        ofSubscription name: String, to sequence: SequenceNumber,
        keepingHistory keepsHistory: Bool = true
    ) throws {
        try PositionFiles.check(name)
        let hub = session.subscriptions
        try hub.moving(name) {
            let chainHash = try durableChainHash(through: sequence)
            let position = SubscriptionPosition(
                sequence: sequence, chainHash: chainHash.description, keepsHistory: keepsHistory)
            try hub.keepingPositions {
                // A prune may have come between.
                try historyReader.requireState(sequence)
                try hub.positions.save(position, of: name)
            }
        }
    }

    /// The chain hash through an event, which is durable then: no position is ahead of the durable
    /// log.
    private func durableChainHash(through sequence: SequenceNumber) throws -> ChainHash {
        try withWriterLock {
            try checkOpen()
            let engine = session.engine
            let reader = HistoryReader(log: engine, empty: session.empty)
            let chainHash = try reader.chainHash(through: sequence)
            try StoreError.wrap(try engine.sync(through: engine.end))
            session.subscriptions.noteDurable(through: engine.durableEnd)
            return chainHash
        }
    }

    /// The last event that a subscription has handled, as its position says; nil if it has none.
    ///
    /// - Throws: `StoreError` with `.positionMissing` if the position is damaged.
    public func position(ofSubscription name: String) throws -> SequenceNumber? {
        try session.subscriptions.positions.position(of: name)?.sequence
    }

    /// Forgets a subscription, which must not run: its position, for which history may be kept.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if it runs, `.closed`, `.suspended`, `.io`.
    public func removeSubscription(_ name: String) throws {
        try PositionFiles.check(name)
        try checkProcess()
        try checkOpen()
        let hub = session.subscriptions
        try hub.moving(name) { try hub.positions.remove(name) }
    }
}

extension StoreError {
    /// The error of a subscription that does not know with which event to begin.
    static func positionMissing(_ name: String) -> StoreError {
        StoreError(
            .positionMissing,
            "the subscription \"\(name)\" has no position: it is new, or its position was lost. "
                + "Say with which event it begins: store.setPosition(ofSubscription: \"\(name)\", "
                + "to: store.sequence) for those from now on")
    }
}
