import SkyrosDisk
import SkyrosLog

/// Builds the value of one projection from the log, whatever its type. Used by one thread at a
/// time.
protocol AnyProjectionBuilder: AnyObject, Sendable {
    /// The last event in the value; nil if it begins with the first event that the log keeps.
    var sequence: SequenceNumber? { get }
    /// Whether it has failed, and the value before that event is yet to be built.
    var needsValue: Bool { get }
    /// Begins again with the first event that the log keeps: those after the value are not kept.
    func restart()
    /// Begins again where this pass began, to build the value before the failure.
    func beginAgain()
    /// Begins with the state before the first event that the log keeps.
    ///
    /// - Parameter kept: the values of projections at the floor; nil if the log has none.
    func begin(at beginning: Snapshot, floor kept: [StoredProjection]?)
    /// Adds an event, unless the value has it or the projection fails at it.
    func apply(_ event: AppliedEvent)
    /// Shows the value to the next checkpoint.
    func noteProgress()
    /// What a floor at the last event keeps; nil if the value cannot be built.
    func stored() throws -> StoredProjection?
}

/// Builds the value of a projection from the log.
///
/// The value is changed in place: a copy of it for each event would cost as much as the whole
/// value. So after a failure it is built once more, up to the event before.
///
/// - Note: `@unchecked` because one thread uses it at a time: that of the rebuild, and then the
///   one that holds the writer lock.
final class ProjectionBuilder<P: Projection>: AnyProjectionBuilder, @unchecked Sendable {
    private(set) var value: P?
    private(set) var failure: ProjectionFailure?
    private(set) var sequence: SequenceNumber?
    private(set) var needsValue = false
    private let progress: ProjectionProgress<P>

    init(_ progress: ProjectionProgress<P> = ProjectionProgress()) {
        self.progress = progress
        let latest = progress.latest.withLock { $0 }
        (value, sequence) = (latest?.value, latest?.sequence)
    }

    func restart() {
        (value, sequence, failure, needsValue) = (nil, nil, nil, false)
        progress.latest.withLock { $0 = nil }
    }

    func beginAgain() {
        needsValue = false
        let latest = progress.latest.withLock { $0 }
        (value, sequence) = (latest?.value, latest?.sequence)
    }

    func begin(at beginning: Snapshot, floor kept: [StoredProjection]?) {
        guard sequence == nil else { return }
        sequence = beginning.sequence
        let former = kept?.first { $0.name.isSameName(as: P.projectionName) }
        if let former, former.version == P.projectionVersion {
            value = former.value.flatMap { try? CBORDecoder().decode(P.self, from: $0) }
            // A second pass has the failure of the first one.
            failure = failure ?? former.failure
            if value != nil || former.failure != nil { return }
        }
        do {
            value = kept == nil ? P() : try P(floor: beginning)
        } catch {
            failure = failure ?? ProjectionFailure(error, at: beginning.sequence)
        }
    }

    func apply(_ event: AppliedEvent) {
        guard value != nil, let sequence, sequence < event.sequence else { return }
        if let failure, failure.sequence <= event.sequence { return }
        do {
            try value?.apply(event)
            self.sequence = event.sequence
        } catch {
            // What it has changed before it threw is of no use.
            needsValue = failure == nil
            failure = ProjectionFailure(error, at: event.sequence)
            value = nil
        }
    }

    func stored() throws -> StoredProjection? {
        guard let sequence, failure?.kind != .isBelowFloor else { return nil }
        let box = value.map { ProjectionBox($0) }
        if let failure {
            return try ProjectionResult<P>(state: .failed(failure, last: box)).stored(at: sequence)
        }
        return try box.map { try ProjectionResult<P>(state: .current($0)).stored(at: sequence) }
    }

    func noteProgress() {
        guard failure == nil, let value, let sequence else { return }
        progress.latest.withLock { $0 = (value, sequence) }
    }
}
