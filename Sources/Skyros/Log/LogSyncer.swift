import SkyrosDisk
import SkyrosLog
import Synchronization

/// Syncs the log in the background, on a dedicated thread.
///
/// Buffered events are synced within an interval (promise P1). Completions that wait for durability
/// are called after the next sync. After an interval without a write, the log gets an idle mark, so
/// that it proves where its durable end is.
final class LogSyncer: Sendable {
    typealias Completion = @Sendable (Result<Void, StoreError>) -> Void

    private struct State: Sendable {
        var isDirty = false
        var isStopping = false
        var waiting: [Completion] = []

        var isUrgent: Bool { isStopping || !waiting.isEmpty }
    }

    private let log: any LogEngine
    private let intervalMilliseconds: Int
    private let report: @Sendable (any Error) -> Void
    private let state = Monitor(State())
    /// Set by the first write after a sync, so that the others need not take the lock.
    private let isDirty = Atomic(false)
    private let queue = SerialQueue()

    /// Starts the thread, which runs until `stop`. If no completion waits for a failed sync, the
    /// error goes to `report`.
    init(
        _ log: any LogEngine, intervalMilliseconds: Int,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.intervalMilliseconds = intervalMilliseconds
        self.report = report
        queue.enqueue { self.run() }
    }

    /// Records that something was appended. A few nanoseconds if a sync is due already.
    func noteAppended() {
        guard !isDirty.load(ordering: .relaxed),
            !isDirty.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        state.change { $0.isDirty = true }
    }

    /// Calls `completion` once everything appended so far is durable, or a sync has failed: on the
    /// syncer's thread, or on the caller's after `stop`.
    func whenDurable(_ completion: @escaping Completion) {
        let isStopping = state.change { state in
            if !state.isStopping { state.waiting.append(completion) }
            return state.isStopping
        }
        if isStopping { completion(syncNow()) }
    }

    /// Syncs what is left, calls the waiting completions, and ends the thread.
    func stop() {
        state.change { $0.isStopping = true }
        queue.stop()
    }

    private func run() {
        while true {
            waitForWork()
            syncAndComplete()
            // Completions that came during the last sync still wait.
            if state.withLock({ $0.isStopping && $0.waiting.isEmpty }) { return }
        }
    }

    /// Waits for work. Without a waiting completion, gathers the writes of one interval.
    private func waitForWork() {
        state.wait { $0.isUrgent || $0.isDirty ? () : nil }
        _ = state.wait(atMost: intervalMilliseconds) { $0.isUrgent ? () : nil }
    }

    private func syncAndComplete() {
        let waiting = state.withLock { state in
            state.isDirty = false
            defer { state.waiting = [] }
            return state.waiting
        }
        isDirty.store(false, ordering: .releasing)
        let result = syncNow()
        for completion in waiting { completion(result) }
        if case .failure(let error) = result, waiting.isEmpty { report(error) }
        guard case .success = result, let segments = log.segments, isIdle() else { return }
        do throws(LogError) {
            try segments.markIdle()
        } catch {
            report(StoreError(error))
        }
    }

    /// Returns whether an interval passes without work.
    private func isIdle() -> Bool {
        state.wait(atMost: intervalMilliseconds) { $0.isUrgent || $0.isDirty ? true : nil } == nil
    }

    private func syncNow() -> Result<Void, StoreError> {
        Result { () throws(StoreError) in try StoreError.wrap(try log.sync(through: log.end)) }
    }

}
