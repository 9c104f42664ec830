import SkyrosDisk
import SkyrosLog
import Synchronization

/// Builds pending projections from the log, on a dedicated thread beside the writer, and swaps them
/// in.
///
/// The thread never waits for the writer lock: the last events are added in a job of the writer's
/// queue. So `stop` may be called by a thread that holds the lock.
final class ProjectionRebuilder: Sendable {
    /// Runs a job under the writer lock, after those that are queued.
    typealias Enqueue = @Sendable (_ job: @escaping @Sendable () -> Void) throws -> Void

    private let projections: ProjectionSet
    private let reader: HistoryReader
    private let view: MainView
    private let enqueue: Enqueue
    /// Waits until the view has all events that the values have, and that were not lost. The
    /// calling thread holds the writer lock.
    private let settle: @Sendable () -> Void
    /// Called when the next checkpoint has something to keep.
    private let onProgress: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void
    private let progressEvents: UInt64
    private let queue = SerialQueue()
    /// Is raised with the revision of the values when a snapshot has got them.
    let signal = EventSignal(.zero)
    /// The number of the rebuild that is wanted; another one ends.
    private let number = Atomic(0)
    private let wasStopped = Atomic(false)
    /// Why the last rebuild has ended without values.
    private let lastFailure = Locked<StoreError?>(nil)

    /// A rebuild of at most this many events is made where it becomes due: when the store is
    /// opened, before the opening returns.
    static let eventsMaxBeforeUse = 20_000
    /// The number of events that may be added while writers wait.
    private static let eventsMaxUnderLock = 2_000

    init(
        _ projections: ProjectionSet, _ reader: HistoryReader, _ view: MainView,
        progressEvents: UInt64, report: @escaping @Sendable (any Error) -> Void,
        onProgress: @escaping @Sendable () -> Void,
        settle: @escaping @Sendable () -> Void = {}, enqueue: @escaping Enqueue
    ) {
        self.settle = settle
        self.projections = projections
        self.reader = reader
        self.view = view
        self.progressEvents = progressEvents
        self.report = report
        self.onProgress = onProgress
        self.enqueue = enqueue
    }

    /// Why nothing builds what is pending; nil if something does.
    var failure: StoreError? { lastFailure.withLock { $0 } }

    /// Builds what is pending, and publishes the values. What takes long is left to the thread. The
    /// calling thread must hold the writer lock, or be the only one that has the store.
    ///
    /// - Parameter base: a state at which values may be, so that it need not be made again.
    func start(from base: Snapshot? = nil) {
        let number = number.add(1, ordering: .relaxed).newValue
        lastFailure.withLock { $0 = nil }
        settle()
        let current = view.current
        let beginning = SequenceNumber(rawValue: reader.log.firstSequence - 1)
        var left: [any AnyProjectionBuilder] = []
        let groups = Dictionary(grouping: projections.builders()) { builder in
            max(builder.sequence ?? beginning, beginning)
        }
        for (first, builders) in groups {
            let isSmall = first.distance(to: current.sequence) <= Self.eventsMaxBeforeUse
            guard isSmall, let rebuild = quickRebuild(builders, at: first, beginning, base, current)
            else {
                left += builders
                continue
            }
            build(rebuild, from: current)
        }
        publish(projections.values())
        if !left.isEmpty {
            let rebuild = ProjectionRebuild(left, reader, progressEvents: progressEvents)
            continueInBackground(rebuild, number)
        }
    }

    /// A rebuild whose first state costs little; nil if it would need a fold of the log.
    private func quickRebuild(
        _ builders: [any AnyProjectionBuilder], at first: SequenceNumber,
        _ beginning: SequenceNumber, _ base: Snapshot?, _ current: Snapshot
    ) -> ProjectionRebuild? {
        if first == beginning { return ProjectionRebuild(builders, reader) }
        if let base, base.sequence == first {
            return ProjectionRebuild(builders, reader, from: base)
        }
        if let near = try? reader.near(first, from: current) {
            return ProjectionRebuild(builders, reader, from: near)
        }
        let isSmall = beginning.distance(to: current.sequence) <= Self.eventsMaxBeforeUse
        return isSmall ? ProjectionRebuild(builders, reader) : nil
    }

    /// Builds values on the calling thread, which publishes them, or that there are none.
    private func build(_ rebuild: ProjectionRebuild, from current: Snapshot) {
        do {
            _ = try rebuild.advance(through: current.sequence, from: { current })
            _ = try rebuild.buildLastValues(from: { current })
            projections.finish(rebuild.builders)
        } catch {
            note(error)
        }
    }

    /// Forgets a value, durably once `write` has written a checkpoint, and builds it again. The
    /// calling thread holds the writer lock.
    ///
    /// - Throws: what `write` throws; the value is built then, too.
    func rebuild(_ name: String, _ write: () throws -> Void) throws {
        settle()
        projections.rebuild(name)
        publish(projections.values())
        let written = Result { try write() }
        start()
        try written.get()
    }

    /// Shows the values to readers. They have no event that the view does not have.
    private func publish(_ values: ProjectionValues) {
        var old: ProjectionValues? = values
        // The old values are released after the lock.
        view.update(changeCount: 0) { snapshot, _ in swap(&snapshot.projections, &old) }
        signal.raise(values.revision)
    }

    /// Ends what the thread does, and waits for its end.
    func stop() {
        wasStopped.store(true, ordering: .sequentiallyConsistent)
        queue.stop()
    }

    private func isWanted(_ number: Int) -> Bool {
        number == self.number.load(ordering: .relaxed)
            && !wasStopped.load(ordering: .sequentiallyConsistent)
    }

    private func continueInBackground(_ rebuild: ProjectionRebuild, _ number: Int) {
        attempt { try queue.enqueue { self.run(rebuild, number) } }
    }

    /// Reads the log up to the newest event, on the thread.
    private func run(_ rebuild: ProjectionRebuild, _ number: Int) {
        attempt {
            let last = view.current.sequence
            let isReady = try projections.running {
                try rebuild.advance(
                    through: last, from: { view.current }, onProgress: onProgress,
                    while: { isWanted(number) })
                    && rebuild.buildLastValues(
                        from: { view.current }, while: { isWanted(number) })
            }
            if isReady { try enqueue { self.finish(rebuild, number) } }
        }
    }

    /// Adds the events that were written meanwhile. The calling thread holds the writer lock.
    private func finish(_ rebuild: ProjectionRebuild, _ number: Int) {
        guard isWanted(number) else { return }
        attempt {
            settle()
            let current = view.current
            let done = rebuild.sequence ?? .zero
            guard done.distance(to: current.sequence) <= Self.eventsMaxUnderLock else {
                return continueInBackground(rebuild, number)
            }
            let isWhole = try rebuild.advance(
                through: current.sequence, from: { current }, while: { isWanted(number) })
            guard isWhole else { return }
            if rebuild.needsValues { return continueInBackground(rebuild, number) }
            projections.finish(rebuild.builders)
            publish(projections.values())
            onProgress()
        }
    }

    /// Does a step. After an error the values stay pending, and those that wait for them get it.
    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            note(error)
            // Without a thread for it, they wait for the next event.
            try? enqueue { [self] in
                guard !wasStopped.load(ordering: .sequentiallyConsistent) else { return }
                settle()
                publish(projections.values())
            }
        }
    }

    private func note(_ error: any Error) {
        let error = StoreError.wrapping(error)
        lastFailure.withLock { $0 = error }
        report(error)
    }
}
