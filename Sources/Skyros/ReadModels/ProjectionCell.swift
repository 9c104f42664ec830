import SkyrosDisk

/// The working state of one projection of a store, whatever its type. Used under the writer lock
/// only, but for the cost.
protocol AnyProjectionCell: AnyObject {
    var name: String { get }
    /// Whether it has the value of the newest event, and gets the next one.
    var isCurrent: Bool { get }
    /// What the next snapshot gets.
    var entry: any ProjectionEntry { get }
    var cost: Locked<ProjectionCost> { get }

    /// Begins with what a checkpoint has kept, for a state after an event.
    func begin(_ stored: StoredProjection?, at sequence: SequenceNumber)
    /// Begins with a value of a snapshot after an event, for a state that may be later.
    func begin(_ entry: any ProjectionEntry, of former: SequenceNumber, at last: SequenceNumber)
    /// Begins with the value before the first event of a new log.
    func reset()
    /// Begins to build the value from the log.
    func rebuild()
    /// Adds an event; returns the error if the projection has stopped at it.
    func apply(_ event: AppliedEvent) -> StoreError?
    /// What builds the value from the log, for one that is pending.
    func makeBuilder() -> (any AnyProjectionBuilder)?
    /// What builds a value from the beginning of the log. Needs no lock.
    func makeNewBuilder() -> any AnyProjectionBuilder
    /// Ends the building with the value of a builder; returns the error if it has failed.
    func finish(_ builder: any AnyProjectionBuilder) -> StoreError?
    /// The public description.
    var statistics: ProjectionStatistics { get }
}

/// How much a projection has cost since the store was opened.
struct ProjectionCost: Sendable {
    var eventCount = 0
    var microseconds: Int64 = 0
    /// The size of its last value in a checkpoint.
    var storedByteCount: Int?
}

/// The working state of a projection.
///
/// Two instances of the value take turns, as in the left-right technique (Ramalhete and Correia,
/// 2013): the snapshot has one of them, while the other one, which lacks one event, gets this event
/// and the next one. So a large collection is changed in place, and copied only where a reader has
/// kept the value. If an event cannot be applied, the published value is untouched.
final class ProjectionCell<P: Projection>: AnyProjectionCell {
    private typealias Box = ProjectionBox<P>

    private var state: ProjectionResult<P>.State = .pending(ProjectionProgress())
    /// The instance that the newest snapshot does not have.
    private var standby: Box?
    /// The event that it lacks.
    private var missing: AppliedEvent?
    let cost = Locked(ProjectionCost())

    var name: String { P.projectionName }

    var entry: any ProjectionEntry { ProjectionResult(state: state) }

    var isCurrent: Bool { if case .current = state { true } else { false } }

    func begin(_ stored: StoredProjection?, at sequence: SequenceNumber) {
        become(Self.state(stored, at: sequence))
    }

    private static func state(
        _ stored: StoredProjection?, at sequence: SequenceNumber
    ) -> ProjectionResult<P>.State {
        guard let stored, stored.version == P.projectionVersion else {
            return sequence == .zero ? .current(Box(P())) : .pending(ProjectionProgress())
        }
        let value = stored.value.flatMap { try? CBORDecoder().decode(P.self, from: $0) }
        if let failure = stored.failure { return .failed(failure, last: value.map { Box($0) }) }
        guard let value, stored.sequence <= sequence else {
            return .pending(ProjectionProgress())
        }
        return stored.sequence == sequence
            ? .current(Box(value)) : .pending(ProjectionProgress((value, stored.sequence)))
    }

    func begin(_ entry: any ProjectionEntry, of former: SequenceNumber, at last: SequenceNumber) {
        guard let result = entry as? ProjectionResult<P> else { return rebuild() }
        switch result.state {
        case .current(let box) where former < last:
            become(.pending(ProjectionProgress((box.value, former))))
        case .current, .failed, .pending:
            become(result.state)
        }
    }

    func reset() { become(.current(Box(P()))) }

    func rebuild() { become(.pending(ProjectionProgress())) }

    private func become(_ next: ProjectionResult<P>.State) {
        (state, standby, missing) = (next, nil, nil)
    }

    func apply(_ event: AppliedEvent) -> StoreError? {
        guard case .current(let newest) = state else { return nil }
        let next = takeStandby(besides: newest)
        do {
            try next.value.apply(event)
        } catch {
            return fail(at: event.sequence, error, last: newest)
        }
        // A table that was cleared would be kept until the next event.
        let isKept = !event.clears
        (state, standby, missing) = (.current(next), isKept ? newest : nil, isKept ? event : nil)
        return nil
    }

    /// The other instance with the events of the newest one.
    private func takeStandby(besides newest: Box) -> Box {
        guard let missing, var other = standby.take(), isKnownUniquelyReferenced(&other)
        else { return Box(newest.value) }
        do {
            try other.value.apply(missing)
            return other
        } catch {
            // The other instance has applied it, so this type does not do what it should.
            return Box(newest.value)
        }
    }

    private func fail(at event: SequenceNumber, _ error: any Error, last: Box?) -> StoreError {
        let failure = ProjectionFailure(error, at: event)
        become(.failed(failure, last: last))
        return StoreError(failure, of: P.self)
    }

    func makeBuilder() -> (any AnyProjectionBuilder)? {
        guard case .pending(let progress) = state else { return nil }
        return ProjectionBuilder(progress)
    }

    func makeNewBuilder() -> any AnyProjectionBuilder { ProjectionBuilder<P>() }

    func finish(_ builder: any AnyProjectionBuilder) -> StoreError? {
        guard let builder = builder as? ProjectionBuilder<P>, case .pending = state else {
            return nil
        }
        let last = builder.value.map { Box($0) }
        if let failure = builder.failure {
            become(.failed(failure, last: last))
            return StoreError(failure, of: P.self)
        }
        become(.current(last ?? Box(P())))
        return nil
    }

    var statistics: ProjectionStatistics {
        let cost = cost.withLock { $0 }
        return ProjectionStatistics(
            name: name, version: P.projectionVersion, eventCount: cost.eventCount,
            duration: .microseconds(cost.microseconds), storedByteCount: cost.storedByteCount)
    }
}
