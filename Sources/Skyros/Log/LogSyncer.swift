import SkyrosDisk
import SkyrosLog
import Synchronization

/// Makes what was written durable in the background, on a thread of its own.
///
/// Buffered events are synced within an interval (promise P1); those who want to be told when
/// an event is durable are told after the next sync, many at a time. When nothing was written
/// for an interval an idle mark follows, so that the log itself proves where its durable end is.
final class LogSyncer: Sendable {
    typealias Completion = @Sendable (Result<Void, StoreError>) -> Void

    private struct State: Sendable {
        var isDirty = false
        var isStopping = false
        var waiting: [Completion] = []
    }

    private let log: any LogEngine
    private let intervalMilliseconds: Int
    private let report: @Sendable (any Error) -> Void
    private let state = Monitor(State())
    /// Spares the writers the monitor: set by the first write after a sync.
    private let isDirty = Atomic(false)
    private let worker = SerialQueue()

    /// Starts the thread, which runs until `stop`. Each failure of a sync that nobody waits for
    /// is given to `report`.
    init(
        _ log: any LogEngine, intervalMilliseconds: Int,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.intervalMilliseconds = intervalMilliseconds
        self.report = report
        worker.enqueue { self.run() }
    }

    /// Notes that something was appended. A few nanoseconds while it is known already.
    func noteAppended() {
        guard !isDirty.load(ordering: .relaxed),
            !isDirty.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        state.change { $0.isDirty = true }
    }

    /// Calls `completion` on the syncer's thread once everything appended so far is durable, or
    /// cannot become so.
    func whenDurable(_ completion: @escaping Completion) {
        let isStopping = state.change { state in
            if !state.isStopping { state.waiting.append(completion) }
            return state.isStopping
        }
        if isStopping { completion(syncNow()) }
    }

    /// Syncs what is left, serves those who wait, and ends the thread.
    func stop() {
        state.change { $0.isStopping = true }
        worker.stop()
    }

    private func run() {
        while true {
            waitForWork()
            serve()
            // Who came while the last sync was under way is still waiting.
            if state.withLock({ $0.isStopping && $0.waiting.isEmpty }) { return }
        }
    }

    /// Waits for something to do. Writes that nobody waits for are given an interval to gather.
    private func waitForWork() {
        state.wait { state -> Void? in
            state.isStopping || state.isDirty || !state.waiting.isEmpty ? () : nil
        }
        _ = state.wait(atMost: intervalMilliseconds) { state -> Void? in
            state.isStopping || !state.waiting.isEmpty ? () : nil
        }
    }

    private func serve() {
        let waiting = state.withLock { state in
            state.isDirty = false
            defer { state.waiting = [] }
            return state.waiting
        }
        isDirty.store(false, ordering: .releasing)
        let result = syncNow()
        for completion in waiting { completion(result) }
        if case .failure(let error) = result, waiting.isEmpty { report(error) }
        if case .success = result, let segments = log.segments, waitsInVain() {
            markIdle(segments)
        }
    }

    /// Whether an interval passes without anything to do.
    private func waitsInVain() -> Bool {
        state.wait(atMost: intervalMilliseconds) { state -> Bool? in
            state.isStopping || state.isDirty || !state.waiting.isEmpty ? true : nil
        } == nil
    }

    private func syncNow() -> Result<Void, StoreError> {
        Result { () throws(StoreError) in try StoreError.wrap(try log.sync(through: log.end)) }
    }

    private func markIdle(_ segments: any SegmentedLog) {
        do throws(LogError) {
            try segments.markIdle()
        } catch {
            report(StoreError(error))
        }
    }
}
