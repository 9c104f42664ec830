import Dispatch
import SkyrosDisk
import SkyrosLog
import Synchronization

/// The subscriptions of a session, and what they share.
final class SubscriptionHub: Sendable {
    let reader: HistoryReader
    let view: MainView
    /// Is raised with the last event that is known to be durable.
    let durable: EventSignal
    /// Is raised with the newest event that readers see.
    private let visible: EventSignal
    let clock: any WallClock
    let report: @Sendable (any Error) -> Void
    private let positions: any SubscriptionPositions
    /// Reads and writes for the tasks, which must not block.
    private let queue = DispatchQueue(label: "skyros.subscriptions", attributes: .concurrent)
    private let state = Locked(State())
    /// Whether positions may be written; held during each write.
    private let mayWrite = Locked(true)
    /// Is raised when the store has been resumed, with the number of times.
    private let resumed = EventSignal(.zero)

    private struct State: Sendable {
        var runs: [String: WeakRun] = [:]
        var isPaused = false
        /// How often the store was resumed.
        var generation: SequenceNumber = .zero
        var hasEnded = false
        var failure: StoreError?
    }

    private struct WeakRun: Sendable {
        weak var run: SubscriptionRun?
    }

    init(
        _ reader: HistoryReader, _ view: MainView, visible: EventSignal, durable: SequenceNumber,
        _ positions: any SubscriptionPositions, _ clock: any WallClock,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.reader = reader
        self.view = view
        self.positions = positions
        self.clock = clock
        self.report = report
        self.visible = visible
        self.durable = EventSignal(durable)
    }

    // MARK: Subscriptions

    /// Adds a subscription.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if there is one with its name, `.closed`,
    ///   `.erased`.
    func add(_ run: SubscriptionRun, named name: String) throws {
        try state.withLock { state in
            if state.hasEnded { throw state.failure ?? .closed }
            guard state.runs[name]?.run == nil else {
                throw StoreError(
                    .invalidInput,
                    "the store has a subscription \"\(name)\" already; cancel it, or use another "
                        + "name")
            }
            state.runs[name] = WeakRun(run: run)
        }
    }

    /// Ends a subscription.
    func remove(_ name: String) {
        state.withLock { $0.runs[name] = nil }
    }

    /// Whether there is a subscription with this name.
    func isRunning(_ name: String) -> Bool { state.withLock { $0.runs[name]?.run != nil } }

    // MARK: Suspending

    /// Handles no further event until `resume`: another process may.
    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        let generation = state.withLock { state in
            state.isPaused = false
            state.generation = state.generation.next
            return state.generation
        }
        resumed.raise(generation)
    }

    /// Waits until the store is not suspended; returns how often it was resumed, nil after its end.
    func waitUntilActive() async -> SequenceNumber? {
        while true {
            let (isPaused, generation, hasEnded) = state.withLock {
                ($0.isPaused, $0.generation, $0.hasEnded)
            }
            if hasEnded { return nil }
            if !isPaused { return generation }
            guard await resumed.wait(after: generation) else { return nil }
        }
    }

    /// Suspends until readers see an event, which may be durable some microseconds before.
    func waitUntilVisible(_ sequence: SequenceNumber) async {
        _ = await visible.wait(after: sequence.advanced(by: -1))
    }

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Ends all subscriptions.
    ///
    /// - Parameter failure: why; nil if the store is closed. Then their positions are written.
    func end(throwing failure: StoreError? = nil) {
        let runs = state.withLock { state in
            state.hasEnded = true
            state.failure = failure
            return state.runs.values.compactMap(\.run)
        }
        for run in runs {
            run.end(failure)
            guard failure == nil, !isPaused, let position = run.unsavedPosition else { continue }
            do {
                try save(position, of: run.name)
            } catch {
                report(StoreError.wrapping(error))
            }
        }
        mayWrite.withLock { $0 = false }
        durable.end(throwing: failure)
        resumed.end(throwing: failure)
    }

    // MARK: Positions

    func position(of name: String) throws -> SubscriptionPosition? {
        try positions.position(of: name)
    }

    /// Writes a position durably. After the end of the store it is left as it is: the next process
    /// handles the last events again.
    func save(_ position: SubscriptionPosition, of name: String) throws {
        guard positions is PositionFiles else { return try positions.save(position, of: name) }
        try mayWrite.withLock { mayWrite in
            guard mayWrite else { throw StoreError.closed }
            try positions.save(position, of: name)
        }
    }

    func removePosition(of name: String) throws { try positions.remove(name) }

    /// The first event that a subscription still needs; nil if none keeps the history.
    func firstNeeded() throws -> SequenceNumber? {
        try positions.all().values.firstNeeded
    }

    /// The log is durable up to a position.
    func noteDurable(through end: LogPosition) {
        durable.raise(SequenceNumber(rawValue: end.head.sequence))
    }

    /// Runs what may block, for a task.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
