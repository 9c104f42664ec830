import SkyrosDisk

/// Handles the events of a subscription, one after the other, in one task.
final class SubscriptionRun: Sendable {
    typealias Handler = @Sendable (AppliedEvent) async throws -> Void
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let name: String
    /// Is raised with each event that was handled.
    let handled: EventSignal
    private let hub: SubscriptionHub
    private let filter: EventFilter?
    private let policy: RetryPolicy
    private let handle: Handler
    private let sleep: Sleep
    private let progress: Locked<Progress>

    private struct Progress: Sendable {
        var state = Subscription.State.running
        var hasEnded = false
        /// The position that was handled, and the one that was written.
        var handled: SubscriptionPosition
        var saved: SubscriptionPosition
    }

    /// A position is written when there is nothing left to handle, or when it is this old.
    private static let saveMicroseconds: Int64 = 100_000

    init(
        _ name: String, after position: SubscriptionPosition, in hub: SubscriptionHub,
        to filter: EventFilter?, retrying policy: RetryPolicy, sleep: @escaping Sleep,
        _ handle: @escaping Handler
    ) {
        self.name = name
        self.hub = hub
        self.filter = filter
        self.policy = policy
        self.sleep = sleep
        self.handle = handle
        handled = EventSignal(position.sequence)
        progress = Locked(Progress(handled: position, saved: position))
    }

    var state: Subscription.State { progress.withLock { $0.state } }

    /// The position that was handled and not written; nil if there is none.
    var unsavedPosition: SubscriptionPosition? {
        progress.withLock { $0.handled == $0.saved ? nil : $0.handled }
    }

    /// Ends after the event that is being handled.
    func end(_ failure: (any Error)?) {
        let isFirst = progress.withLock { progress in
            defer { progress.hasEnded = true }
            if !progress.hasEnded { progress.state = .stopped(failure) }
            return !progress.hasEnded
        }
        guard isFirst else { return }
        hub.remove(name)
        handled.end()
    }

    private var hasEnded: Bool { progress.withLock { $0.hasEnded } || Task.isCancelled }

    func run() async {
        do {
            try await handleAll()
            end(nil)
        } catch {
            guard !hasEnded else { return end(nil) }
            end(error)
            hub.report(error)
        }
    }

    private func handleAll() async throws {
        var cursor: SubscriptionCursor?
        var generation = SequenceNumber.zero
        var savedAt = hub.clock.nowMicroseconds()
        while !hasEnded, let active = await hub.waitUntilActive() {
            if cursor == nil || active != generation {
                cursor = try await makeCursor()
                generation = active
            }
            let event = try cursor?.next(through: hub.durable.last)
            if let event {
                await hub.waitUntilVisible(event.sequence)
                if filter?.matches(event.event) ?? true {
                    guard try await attempt(event.sequence, { try await self.handle(event) })
                    else { return }
                }
                cursor?.noteHandled()
                guard let position = cursor?.position else { return }
                progress.withLock { $0.handled = position }
                handled.raise(position.sequence)
            }
            let now = hub.clock.nowMicroseconds()
            if event == nil || abs(now - savedAt) >= Self.saveMicroseconds {
                guard try await save() else { return }
                savedAt = now
            }
            guard event == nil, let sequence = cursor?.position.sequence else { continue }
            guard await hub.durable.wait(after: sequence) || hub.isPaused else { return }
        }
    }

    /// The events after the position that was written, or after a later one that was handled.
    private func makeCursor() async throws -> SubscriptionCursor {
        let (name, hub) = (name, hub)
        let mine = progress.withLock { $0.handled }
        let cursor = try await hub.run {
            let kept = try hub.position(of: name)
            let position = kept.map { $0.sequence > mine.sequence ? $0 : mine } ?? mine
            return try SubscriptionCursor(
                after: position, of: name, hub.reader, from: hub.view.current)
        }
        progress.withLock { $0.handled = cursor.position }
        handled.raise(cursor.position.sequence)
        return cursor
    }

    /// Writes the position, if it has changed. Returns false if the subscription has ended.
    private func save() async throws -> Bool {
        guard let position = unsavedPosition, !hub.isPaused else { return !hasEnded }
        let (name, hub) = (name, hub)
        let isWritten = Locked(false)
        let isRunning = try await attempt(position.sequence) {
            do {
                try await hub.run { try hub.save(position, of: name) }
                isWritten.withLock { $0 = true }
            } catch let error as StoreError where [.suspended, .closed].contains(error.code) {
                // It is written after `resume`, or the next opening handles the last events again.
            }
        }
        if isWritten.withLock({ $0 }) { progress.withLock { $0.saved = position } }
        return isRunning
    }

    /// Does something until it succeeds. Returns false if the subscription has ended before.
    ///
    /// - Throws: the last error, if there were as many attempts as the policy allows.
    private func attempt(
        _ sequence: SequenceNumber, _ body: @Sendable () async throws -> Void
    ) async throws -> Bool {
        var count = 0
        while !hasEnded {
            do {
                try await body()
                if count > 0 { note(.running) }
                return true
            } catch {
                guard !hasEnded else { return false }
                count += 1
                if let most = policy.attemptsMax, count >= most {
                    throw StoreError(
                        .subscriptionFailed,
                        "the subscription \"\(name)\" has stopped before event \(sequence) after "
                            + "\(count) attempts; subscribe again when the cause is mended",
                        at: StoreError.Place(sequences: sequence...sequence),
                        cause: String(describing: error))
                }
                note(.retrying(sequence, attempts: count, after: error))
                if count == 1 { hub.report(error) }
                try await sleep(policy.delay(afterAttempts: count))
            }
        }
        return false
    }

    private func note(_ state: Subscription.State) {
        progress.withLock { if !$0.hasEnded { $0.state = state } }
    }
}
