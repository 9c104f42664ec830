import SkyrosDisk

/// A value of a projection that snapshots share.
///
/// - Note: `@unchecked` because of the value: it is changed only while a cell holds the only
///   reference.
final class ProjectionBox<P: Projection>: @unchecked Sendable {
    var value: P

    init(_ value: P) {
        self.value = value
    }
}

/// How far a projection that is being built has come, for the next checkpoint.
final class ProjectionProgress<P: Projection>: Sendable {
    /// A value and the last event in it; nil at the beginning of the log.
    let latest: Locked<(value: P, sequence: SequenceNumber)?>

    init(_ latest: (value: P, sequence: SequenceNumber)? = nil) {
        self.latest = Locked(latest)
    }
}

/// The value of a projection in a snapshot.
struct ProjectionResult<P: Projection>: ProjectionEntry {
    enum State: Sendable {
        case current(ProjectionBox<P>)
        case failed(ProjectionFailure, last: ProjectionBox<P>?)
        case pending(ProjectionProgress<P>)
    }

    let state: State

    var type: ObjectIdentifier { ObjectIdentifier(P.self) }

    func stored(at sequence: SequenceNumber) throws -> StoredProjection {
        switch state {
        case .current(let box):
            return try stored(box.value, at: sequence)
        case .failed(let failure, let last):
            let before = failure.sequence.advanced(by: -1)
            return try stored(last?.value, at: before, failure)
        case .pending(let progress):
            // Without a value, what a checkpoint has kept before is of no use.
            let latest = progress.latest.withLock { $0 }
            return try stored(latest?.value, at: latest?.sequence ?? .zero)
        }
    }

    private func stored(
        _ value: P?, at sequence: SequenceNumber, _ failure: ProjectionFailure? = nil
    ) throws -> StoredProjection {
        do {
            return StoredProjection(
                name: P.projectionName, version: P.projectionVersion, sequence: sequence,
                value: try value.map { try CBOREncoder().encode($0) }, failure: failure)
        } catch {
            throw StoreError(
                .notEncodable,
                "the projection \(P.projectionName) cannot be encoded, so that the next opening "
                    + "builds it from the log", cause: String(describing: error))
        }
    }
}

extension Snapshot {
    /// The value of a projection after the event of this snapshot.
    ///
    ///     let state = store.snapshot
    ///     let sales = try state.projection(Sales.self)      // of the same event as the records
    ///
    /// - Complexity: O(1), and a copy of the value.
    /// - Throws: `StoreError` with `.projectionPending` while it is being built,
    ///   `.projectionFailed` if it has stopped, `.unknownProjection` if the store was opened
    ///   without it, or if this is no state of an open store: states of the past, of child stores
    ///   and of archives have no projections.
    public func projection<P: Projection>(_ type: P.Type) throws -> P {
        switch try projectionState(of: type) {
        case .current(let value): return value
        case .failed(let failure, _): throw StoreError(failure, of: type)
        case .pending:
            throw StoreError(
                .projectionPending,
                "the projection \(P.projectionName) is being built from the log; "
                    + "`await store.projection(whenReady:)` waits for it")
        }
    }

    /// How far a projection is, with its last value.
    ///
    /// - Throws: `StoreError` with `.unknownProjection`, as `projection(_:)`.
    public func projectionState<P: Projection>(of type: P.Type) throws -> ProjectionState<P> {
        let entry = projections?.entries.first { $0.type == ObjectIdentifier(type) }
        guard let result = entry as? ProjectionResult<P> else {
            throw StoreError(
                .unknownProjection,
                projections == nil
                    ? "this state has no projections: add \(type).self to Options.projections; for "
                        + "a state of the past, use store.projection(\(type).self, asOf:)"
                    : "the store was opened without the projection \(type); add \(type).self to "
                        + "Options.projections")
        }
        switch result.state {
        case .current(let box): return .current(box.value)
        case .failed(let failure, let last): return .failed(failure, last: last?.value)
        case .pending: return .pending
        }
    }
}

extension StoreError {
    /// The error of a projection that has stopped.
    init<P: Projection>(_ failure: ProjectionFailure, of type: P.Type) {
        guard failure.kind == .hasThrown else {
            self.init(
                .belowFloor,
                "the projection \(P.projectionName) cannot be built: the events through "
                    + "\(failure.sequence) are no longer kept",
                at: Place(sequences: failure.sequence...failure.sequence), cause: failure.message)
            return
        }
        self.init(
            .projectionFailed,
            "the projection \(P.projectionName) has stopped at event \(failure.sequence); mend it "
                + "and raise its projectionVersion, or call store.rebuild(\(type).self)",
            at: Place(sequences: failure.sequence...failure.sequence), cause: failure.message)
    }
}
