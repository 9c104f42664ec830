import SkyrosDisk
import SkyrosLog
import Synchronization

/// Syncs the log in the background, on a dedicated thread.
///
/// Buffered events are synced within an interval (promise P1). Completions that wait for durability
/// are called after the next sync. After an interval without a write, the log gets an idle mark, so
/// that it proves where its durable end is. After a longer pause, maintenance is notified.
final class LogSyncer: Sendable {
    typealias Completion = @Sendable (Result<Void, StoreError>) -> Void

    private struct State: Sendable {
        var isDirty = false
        var isStopping = false
        /// Whether the last sync without completions has failed.
        var hasFailed = false
        var waiting: [Completion] = []
        /// Whether completions of an earlier sync are being called.
        var isCompleting = false

        var isUrgent: Bool { isStopping || !waiting.isEmpty }
    }

    private let log: any LogEngine
    private let intervalMilliseconds: Int
    private let idleMilliseconds: Int
    private let onIdle: @Sendable () -> Void
    private let onSync: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void
    private let state = Monitor(State())
    /// Set by the first write after a sync, so that the others need not take the lock.
    private let isDirty = Atomic(false)
    private let queue: SerialQueue
    private let timer: Timer?

    /// What is called from time to time while the log is open.
    struct Timer: Sendable {
        let intervalMilliseconds: Int
        /// The time to the first call.
        let firstMilliseconds: Int
        let call: @Sendable () -> Void
    }

    /// Makes a syncer that runs on the thread of `queue`, which was started, until `stop`. If no
    /// completion waits for a failed sync, the error goes to `report`. `onIdle` is called once
    /// after each pause of `idleMilliseconds`, `onSync` after each sync that has succeeded.
    init(
        _ log: any LogEngine, on queue: SerialQueue, intervalMilliseconds: Int,
        idleMilliseconds: Int, onIdle: @escaping @Sendable () -> Void, timer: Timer?,
        onSync: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.intervalMilliseconds = intervalMilliseconds
        self.idleMilliseconds = idleMilliseconds
        self.onIdle = onIdle
        self.onSync = onSync
        self.report = report
        self.queue = queue
        self.timer = timer
        do throws(ThreadShortage) {
            try queue.enqueue { self.run() }
        } catch {
            preconditionFailure("The queue has a thread: \(error)")
        }
    }

    /// Records that something was appended. A few nanoseconds if a sync is due already.
    func noteAppended() {
        guard !isDirty.load(ordering: .relaxed),
            !isDirty.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        state.change { $0.isDirty = true }
    }

    /// What is left to do for a new completion.
    private enum Turn {
        case wait, complete, sync
    }

    /// The number of completions that may wait before `waitForCapacity` blocks.
    static let waitingMax = 10_000

    /// Calls `completion` once everything appended so far is durable, or a sync has failed: on the
    /// syncer's thread, on the caller's after `stop`, or if `isDurable`.
    ///
    /// Completions are called in the order of these calls: one whose event is durable already waits
    /// for those before it.
    func whenDurable(isDurable: Bool, _ completion: @escaping Completion) {
        let turn = state.change { state -> Turn in
            if state.isStopping { return .sync }
            if isDurable, state.waiting.isEmpty, !state.isCompleting { return .complete }
            state.waiting.append(completion)
            return .wait
        }
        switch turn {
        case .wait: break
        case .complete: completion(.success(()))
        case .sync: completion(syncNow())
        }
    }

    /// Blocks the calling thread while too many completions wait: each keeps its result in memory.
    func waitForCapacity() {
        state.wait { $0.isStopping || $0.waiting.count < Self.waitingMax ? () : nil }
    }

    /// Syncs what is left, calls the waiting completions, and ends the thread.
    func stop() {
        state.change { $0.isStopping = true }
        queue.stop()
    }

    private func run() {
        var due = Deadline(afterMilliseconds: timer?.firstMilliseconds ?? .max)
        while true {
            waitForWork(calling: timer, at: &due)
            syncAndComplete()
            // Completions that came during the last sync still wait.
            if state.withLock({ $0.isStopping && $0.waiting.isEmpty }) { return }
        }
    }

    /// Waits for work. Without a waiting completion, gathers the writes of one interval.
    private func waitForWork(calling timer: Timer?, at due: inout Deadline) {
        while true {
            if let timer, due.hasPassed {
                timer.call()
                due = Deadline(afterMilliseconds: timer.intervalMilliseconds)
            }
            let hasWork: Void? = state.wait(atMost: due.millisecondsLeft) {
                $0.isUrgent || $0.isDirty ? () : nil
            }
            if hasWork != nil { break }
        }
        _ = state.wait(atMost: intervalMilliseconds) { $0.isUrgent ? () : nil }
    }

    private func syncAndComplete() {
        let waiting = state.withLock { state in
            state.isDirty = false
            state.isCompleting = true
            defer { state.waiting = [] }
            return state.waiting
        }
        isDirty.store(false, ordering: .releasing)
        let result = syncNow()
        if case .success = result { onSync() }
        for completion in waiting { completion(result) }
        state.change { $0.isCompleting = false }
        // Otherwise the completions have received the error.
        if waiting.isEmpty { reportNew(result) }
        guard case .success = result, let segments = log.segments,
            isIdle(for: intervalMilliseconds)
        else { return }
        do throws(LogError) {
            try segments.markIdle()
        } catch {
            return report(StoreError(error))
        }
        if isIdle(for: max(0, idleMilliseconds - intervalMilliseconds)) { onIdle() }
    }

    /// Reports a failed sync, unless the one before it has failed too: `close` syncs again.
    private func reportNew(_ result: Result<Void, StoreError>) {
        var failure: StoreError?
        if case .failure(let error) = result { failure = error }
        // Nothing was tried.
        if failure?.code == .suspended { return }
        let isKnown = state.withLock { state in
            defer { state.hasFailed = failure != nil }
            return state.hasFailed
        }
        if let failure, !isKnown { report(failure) }
    }

    /// Returns whether this time passes without work.
    private func isIdle(for milliseconds: Int) -> Bool {
        state.wait(atMost: milliseconds) { $0.isUrgent || $0.isDirty ? true : nil } == nil
    }

    private func syncNow() -> Result<Void, StoreError> {
        Result { () throws(StoreError) in try StoreError.wrap(try log.sync(through: log.end)) }
    }
}
