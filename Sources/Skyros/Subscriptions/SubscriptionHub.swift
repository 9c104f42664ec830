import SkyrosDisk
import SkyrosLog

/// The subscriptions of a session, and what they share.
final class SubscriptionHub: Sendable {
    let reader: HistoryReader
    let view: MainView
    /// Is raised with the last event that is known to be durable.
    let durable: EventSignal
    /// Is raised with a higher number when an event was made durable or the store was resumed.
    let news = EventSignal(.zero)
    let report: @Sendable (any Error) -> Void
    let positions: any SubscriptionPositions
    /// Is raised with the newest event that readers see.
    private let visible: EventSignal
    /// Is raised with the generation when the store was resumed.
    private let resumed = EventSignal(.zero)
    private let state = Locked(State())
    /// Held while the app sets a position, and while history is pruned.
    private let placing = Locked(())

    private struct State: Sendable {
        var runs: [String: WeakRun] = [:]
        /// The names of subscriptions whose position the app sets or removes.
        var moving: Set<String> = []
        var isPaused = false
        /// How often the store was resumed.
        var generation = SequenceNumber.zero
        var news = SequenceNumber.zero
        var hasEnded = false
        var failure: StoreError?
    }

    private struct WeakRun: Sendable {
        weak var run: SubscriptionRun?
    }

    init(
        _ reader: HistoryReader, _ view: MainView, visible: EventSignal, durable: SequenceNumber,
        _ positions: any SubscriptionPositions, report: @escaping @Sendable (any Error) -> Void
    ) {
        self.reader = reader
        self.view = view
        self.positions = positions
        self.report = report
        self.visible = visible
        self.durable = EventSignal(durable)
    }

    // MARK: Subscriptions

    /// Adds a subscription, and returns the one that had its name and was cancelled, if its last
    /// handler has not returned yet.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if there is one with its name, `.closed`,
    ///   `.erased`.
    func add(_ run: SubscriptionRun) throws -> SubscriptionRun? {
        try state.withLock { state in
            if state.hasEnded { throw state.failure ?? .closed }
            let former = state.runs[run.name]?.run
            guard former?.hasEnded ?? true, !state.moving.contains(run.name) else {
                throw StoreError(
                    .invalidInput,
                    "the store has a subscription \"\(run.name)\" already; cancel it, or use "
                        + "another name")
            }
            state.runs[run.name] = WeakRun(run: run)
            return former
        }
    }

    /// Forgets a subscription whose task has ended.
    func remove(_ run: SubscriptionRun) {
        state.withLock { state in
            if state.runs[run.name]?.run === run { state.runs[run.name] = nil }
        }
    }

    /// Runs `body`, which sets or removes a position, while no subscription has it. One that was
    /// cancelled writes none any more.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the subscription runs; what `body` throws.
    func moving(_ name: String, _ body: () throws -> Void) throws {
        let former = try state.withLock { state in
            let run = state.runs[name]?.run
            guard run?.hasEnded ?? true, state.moving.insert(name).inserted else {
                throw StoreError(
                    .invalidInput,
                    "the subscription \"\(name)\" runs; cancel it before you move it")
            }
            return run
        }
        defer { _ = state.withLock { $0.moving.remove(name) } }
        former?.forbidSaving()
        try body()
    }

    /// Whether a handler may move the position itself, with its effect.
    var isKeptByApp: Bool { !(positions is PositionFiles || positions is ServerPositions) }

    private var runs: [SubscriptionRun] { state.withLock { $0.runs.values.compactMap(\.run) } }

    // MARK: Suspending

    /// Handles no further event until `resume`: another process may.
    func pause() { state.withLock { $0.isPaused = true } }

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Waits for the files that are being written. The disk of a suspended store refuses them.
    func waitForFiles() {
        guard positions is PositionFiles else { return }
        for run in runs { run.waitForSave() }
    }

    func resume() {
        let generation = state.withLock { state in
            state.isPaused = false
            state.generation = state.generation.next
            return state.generation
        }
        resumed.raise(generation)
        noteNews()
    }

    /// Whether the store was not suspended since it had this generation.
    func isActive(_ generation: SequenceNumber) -> Bool {
        state.withLock { !$0.isPaused && $0.generation == generation }
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

    // MARK: Events

    /// The log is durable up to a position.
    func noteDurable(through end: LogPosition) {
        noteDurable(through: SequenceNumber(rawValue: end.head.sequence))
    }

    /// The log is durable up to an event.
    func noteDurable(through sequence: SequenceNumber) {
        guard sequence > durable.last else { return }
        durable.raise(sequence)
        noteNews()
    }

    private func noteNews() {
        let number = state.withLock { state in
            state.news = state.news.next
            return state.news
        }
        news.raise(number)
    }

    /// Suspends until readers see an event, which may be durable some microseconds before.
    func waitUntilVisible(_ sequence: SequenceNumber) async {
        _ = await visible.wait(after: sequence.advanced(by: -1))
    }

    // MARK: The end

    /// Ends all subscriptions, and writes their positions if these are files of the store.
    ///
    /// - Parameter failure: why; nil if the store is closed. Otherwise no position is written.
    func end(throwing failure: StoreError? = nil) {
        state.withLock { state in
            state.hasEnded = true
            state.failure = state.failure ?? failure
        }
        for run in runs {
            run.end(failure)
            if failure == nil, positions is PositionFiles { run.saveNow() }
            if failure != nil || positions is PositionFiles { run.forbidSaving() }
        }
        durable.end(throwing: failure)
        news.end(throwing: failure)
        resumed.end(throwing: failure)
    }

    /// Writes what the app keeps elsewhere, after `end`: its code must not run under the lock under
    /// which a store is closed.
    func saveElsewhere() {
        guard !(positions is PositionFiles), state.withLock({ $0.hasEnded }) else { return }
        for run in runs {
            run.saveNow()
            run.forbidSaving()
        }
    }

    // MARK: Retention

    /// Runs `body` while no other thread sets a position in a file of the store, or prunes.
    func keepingPositions<R>(_ body: () throws -> R) rethrows -> R {
        // Code of the app runs under no lock.
        guard positions is PositionFiles else { return try body() }
        return try placing.withLock { _ in try body() }
    }

    /// The first event that a subscription needs whose position the app keeps; runs its code. Nil
    /// if none needs the history.
    func firstNeededByApp() throws -> SequenceNumber? {
        positions is PositionFiles ? nil : try positions.all().values.firstNeeded
    }

    /// The first event that a subscription needs whose position is a file.
    func firstNeededByFiles() throws -> SequenceNumber? {
        try (positions as? PositionFiles)?.all().values.firstNeeded
    }
}
