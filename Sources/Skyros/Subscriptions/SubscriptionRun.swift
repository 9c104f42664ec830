import Dispatch
import SkyrosDisk

/// Handles the events of a subscription, one after the other, in one task.
final class SubscriptionRun: Sendable {
    typealias Handler = @Sendable (AppliedEvent) async throws -> Void
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let name: String
    /// Is raised with each event that was handled.
    let handled: EventSignal
    /// Is raised with the number of times that the position has moved.
    private let moved = EventSignal(.zero)
    /// Ends with the task.
    private let finished = EventSignal(.zero)
    private let hub: SubscriptionHub
    private let filter: EventFilter?
    private let policy: RetryPolicy
    private let handle: Handler
    private let sleep: Sleep
    /// What may block: reading the log, and writing positions.
    private let queue: DispatchQueue
    private let progress: Locked<Progress>
    /// Held during each write of the position.
    private let saving = Locked(Saving())

    private struct Progress: Sendable {
        var state = Subscription.State.running
        var hasEnded = false
        var task: Task<Void, Never>?
        /// The position that was handled, and the one that was written or read last.
        var handled: SubscriptionPosition
        var saved: SubscriptionPosition
        /// How often the store had been resumed when the position was read.
        var generation = SequenceNumber.zero
        /// How often the handled position has moved.
        var moves = SequenceNumber.zero
        /// The number of failed writes since the last one.
        var saveFailures = 0
    }

    private struct Saving: Sendable {
        var isAllowed = true
        /// Whether a handler runs that may move the position itself, with its effect.
        var isLeftToHandler = false
    }

    /// How long a position may be unsaved while the next event is handled.
    private static let saveDelay = Duration.milliseconds(100)

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
        queue = DispatchQueue(label: "skyros.subscription.\(name)")
        handled = EventSignal(position.sequence)
        progress = Locked(Progress(handled: position, saved: position))
    }

    var state: Subscription.State { progress.withLock { $0.state } }

    /// The last event that was handled.
    var position: SequenceNumber { progress.withLock { $0.handled.sequence } }

    // MARK: Beginning and end

    /// Starts the task, which waits for the one of a former subscription with the name.
    func start(after former: SubscriptionRun?) {
        // The metadata of the task that subscribes are not those of the handler's writes.
        let task = Task.detached { [self] in
            if let former { _ = await former.finished.wait(after: .zero) }
            await run()
            hub.remove(self)
            finished.end()
        }
        let isLate = progress.withLock { progress in
            progress.task = task
            return progress.hasEnded
        }
        if isLate { task.cancel() }
    }

    /// Ends after the event that is being handled.
    func end(_ failure: (any Error)?) {
        let (isFirst, task) = progress.withLock { progress in
            defer { progress.hasEnded = true }
            if !progress.hasEnded { progress.state = .stopped(failure) }
            return (!progress.hasEnded, progress.task)
        }
        guard isFirst else { return }
        handled.end()
        moved.end()
        task?.cancel()
    }

    var hasEnded: Bool { progress.withLock { $0.hasEnded } }

    private func run() async {
        async let saving: Void = saveAgainAndAgain()
        do {
            try await handleAll()
            end(nil)
        } catch {
            if !hasEnded {
                end(error)
                hub.report(error)
            }
        }
        await saving
        await save()
    }

    // MARK: Handling

    private func handleAll() async throws {
        while !hasEnded, let generation = await hub.waitUntilActive() {
            let cursor = try await untilItSucceeds(in: generation) { try self.cursor(generation) }
            guard var cursor else { continue }
            try await handleEvents(of: &cursor, in: generation)
        }
    }

    /// Handles events until the store was suspended or the subscription has ended.
    private func handleEvents(
        of cursor: inout SubscriptionCursor, in generation: SequenceNumber
    ) async throws {
        while !hasEnded, hub.isActive(generation) {
            let news = hub.news.last
            let last = hub.durable.last
            let before = cursor
            let found = try await untilItSucceeds(in: generation) { [filter] in
                var cursor = before
                return (step: try cursor.next(through: last, where: filter), cursor: cursor)
            }
            guard let found else { return }
            cursor = found.cursor
            switch found.step {
            case .event(let event):
                // Events before it were passed.
                note(cursor.position)
                await hub.waitUntilVisible(event.sequence)
                guard try await attempt(event, in: generation) else { return }
                cursor.noteHandled()
                note(cursor.position)
            case .passed: note(cursor.position)
            case .end:
                await save()
                cursor.share(hub.view.current)
                _ = await hub.news.wait(after: news)
            }
        }
    }

    private func note(_ position: SubscriptionPosition) {
        let moves = progress.withLock { progress in
            progress.handled = position
            progress.moves = progress.moves.next
            return progress.moves
        }
        moved.raise(moves)
        handled.raise(position.sequence)
    }

    /// Handles an event, again and again until that succeeds. Returns false if the subscription has
    /// ended, or the store was suspended, before: then another process may handle it.
    ///
    /// - Throws: `StoreError` with `.subscriptionFailed` after as many attempts as the policy
    ///   allows.
    private func attempt(
        _ event: AppliedEvent, in generation: SequenceNumber
    ) async throws -> Bool {
        var count = 0
        while !hasEnded, hub.isActive(generation) {
            do {
                try await call(event)
                if count > 0 { note(.running) }
                return true
            } catch {
                guard !hasEnded, hub.isActive(generation) else { return false }
                count += 1
                // The pause may be long.
                await save()
                if let most = policy.attemptsMax, count >= most {
                    throw failure(at: event.sequence, afterAttempts: count, error)
                }
                note(.retrying(event.sequence, attempts: count, after: error))
                if count == 1 { hub.report(error) }
                try await sleep(policy.delay(afterAttempts: count))
            }
        }
        return false
    }

    /// Calls the handler. While it runs, a position that the app keeps is left to it: it may be
    /// committed with the effect, and an earlier one must not be written over it.
    private func call(_ event: AppliedEvent) async throws {
        guard hub.isKeptByApp else { return try await handle(event) }
        // Behind a write that has begun, which may take long.
        try await onQueue { self.saving.withLock { $0.isLeftToHandler = true } }
        defer { saving.withLock { $0.isLeftToHandler = false } }
        try await handle(event)
    }

    private func failure(
        at sequence: SequenceNumber, afterAttempts count: Int, _ error: any Error
    ) -> StoreError {
        StoreError(
            .subscriptionFailed,
            "the subscription \"\(name)\" has stopped before event \(sequence) after \(count) "
                + "attempts; subscribe again when the cause is mended",
            at: StoreError.Place(sequences: sequence...sequence), cause: String(describing: error))
    }

    private func note(_ state: Subscription.State) {
        progress.withLock { if !$0.hasEnded { $0.state = state } }
    }

    // MARK: Reading

    /// The events after the position that was written, or after a later one that was handled.
    private func cursor(_ generation: SequenceNumber) throws -> SubscriptionCursor {
        let kept = try hub.positions.position(of: name)
        guard let kept else { throw StoreError.positionMissing(name) }
        let position = progress.withLock { progress in
            // What another process has written, or the app between two subscriptions, is right.
            if kept != progress.saved { (progress.handled, progress.saved) = (kept, kept) }
            progress.generation = generation
            return progress.handled
        }
        let cursor = try SubscriptionCursor(
            after: position, of: name, hub.reader, from: hub.view.current)
        handled.raise(position.sequence)
        return cursor
    }

    /// Does what may block on the queue, again after a pause if a file cannot be read or the app's
    /// positions fail. Returns nil if the subscription has ended or the store was suspended.
    private func untilItSucceeds<R: Sendable>(
        in generation: SequenceNumber, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R? {
        var count = 0
        while !hasEnded {
            do {
                let result = try await onQueue(body)
                if count > 0 { note(.running) }
                return result
            } catch {
                // Another process may have pruned or replaced what was read.
                guard !hasEnded, hub.isActive(generation) else { return nil }
                guard Self.mayPass(error) else { throw error }
                count += 1
                note(.retrying(position.next, attempts: count, after: error))
                if count == 1 { hub.report(error) }
                try await sleep(RetryPolicy.standard.delay(afterAttempts: count))
            }
        }
        return nil
    }

    /// Whether an error may have another reason than what the store holds.
    private static func mayPass(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return true }
        // A new primary may not have its standbys yet.
        return [.io, .diskFull, .serverUnavailable, .insecureDurability].contains(error.code)
    }

    private func onQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    // MARK: Saving

    /// Writes the position soon after it has moved, also while a handler runs that takes long.
    private func saveAgainAndAgain() async {
        while !hasEnded, await hub.waitUntilActive() != nil {
            let (moves, failures) = progress.withLock { progress in
                (progress.handled == progress.saved ? progress.moves : nil, progress.saveFailures)
            }
            if let moves {
                guard await moved.wait(after: moves) else { return }
            }
            let pause =
                failures == 0
                ? Self.saveDelay : RetryPolicy.standard.delay(afterAttempts: failures)
            do { try await sleep(pause) } catch { return }
            await save()
        }
    }

    private func save() async {
        guard progress.withLock({ $0.handled != $0.saved }) else { return }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                saveNow()
                continuation.resume()
            }
        }
    }

    /// Writes the position, if it has moved and the store was not suspended since it was read:
    /// otherwise another process may have moved it further.
    func saveNow() {
        saving.withLock { saving in
            let (position, saved, generation) = progress.withLock {
                ($0.handled, $0.saved, $0.generation)
            }
            guard saving.isAllowed, !saving.isLeftToHandler, position != saved,
                hub.isActive(generation)
            else { return }
            do {
                let written = try save(position, after: saved)
                progress.withLock { ($0.saved, $0.saveFailures) = (written, 0) }
            } catch let error as StoreError where error.code == .suspended {
                // It is written after `resume`.
            } catch {
                let count = progress.withLock { progress in
                    progress.saveFailures += 1
                    return progress.saveFailures
                }
                if count == 1 { hub.report(error) }
            }
        }
    }

    /// Writes a position, unless a handler has moved it further: one that was cancelled, or has
    /// failed after its commit.
    ///
    /// - Returns: the position that is kept now.
    private func save(
        _ position: SubscriptionPosition, after saved: SubscriptionPosition
    ) throws -> SubscriptionPosition {
        if !(hub.positions is PositionFiles), let kept = try hub.positions.position(of: name),
            kept != saved, kept.sequence >= position.sequence
        {
            return kept
        }
        try hub.positions.save(position, of: name)
        return position
    }

    /// The position is not written any more: the app sets it, or the store is erased.
    func forbidSaving() { saving.withLock { $0.isAllowed = false } }

    /// Waits for the position that is being written.
    func waitForSave() { saving.withLock { _ in } }
}
