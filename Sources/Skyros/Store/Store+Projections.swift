// Read models that the store keeps beside its records: see `Projection`.

extension Store {
    /// The value of a projection after the newest event.
    ///
    ///     let sales = try store.projection(Sales.self)
    ///
    /// - Complexity: O(1), and a copy of the value.
    /// - Throws: as ``Snapshot/projection(_:)``.
    public func projection<P: Projection>(_ type: P.Type) throws -> P {
        try view.current.projection(type)
    }

    /// The value of a projection after the newest event, once it was built.
    ///
    /// - Throws: as ``Snapshot/projection(_:)``, but for `.projectionPending`; `.closed` or
    ///   `.erased` if that comes first; `.logCorrupt` and the like if it cannot be built;
    ///   `CancellationError` if the task is cancelled.
    public func projection<P: Projection>(whenReady type: P.Type) async throws -> P {
        let session = session
        while true {
            let state = view.current
            guard case .pending = try state.projectionState(of: type) else {
                return try state.projection(type)
            }
            if let failure = session.rebuilder?.failure { throw failure }
            let revision = state.projections?.revision ?? .zero
            if await session.rebuilder?.signal.wait(after: revision) ?? false { continue }
            try Task.checkCancellation()
            throw session.rebuilder?.signal.failure ?? .closed
        }
    }

    /// The value of a projection, now and after each event.
    ///
    ///     for try await sales in store.live(Sales.self) { show(sales) }
    public func live<P: Projection>(_ type: P.Type) -> LiveProjection<P> {
        LiveProjection(view: view, rebuilder: session.rebuilder, isSame: nil)
    }

    /// The value of a projection, now and after each event that changes it.
    ///
    ///     for try await sales in store.live(Sales.self) { show(sales) }
    public func live<P: Projection & Equatable>(_ type: P.Type) -> LiveProjection<P> {
        LiveProjection(view: view, rebuilder: session.rebuilder) { $0 == $1 }
    }

    /// The value that a projection had at a moment of the past, or would have had: the store need
    /// not have been opened with it.
    ///
    ///     let then = try store.projection(Sales.self, asOf: .date(yesterday))
    ///
    /// - Complexity: O(events up to the moment), which are replayed with the projection.
    /// - Throws: `StoreError` with `.projectionFailed` if it cannot apply an event, `.belowFloor`
    ///   if it needs events that are not kept; as ``snapshot(asOf:)``.
    public func projection<P: Projection>(_ type: P.Type, asOf moment: Moment) throws -> P {
        try ProjectionSet.check([type])
        let reader = historyReader
        return try reader.projection(of: type, through: reader.sequence(of: moment)) { _ in }
    }

    /// Builds a projection from the log again: after its code was mended, without another version.
    ///
    /// Its value is forgotten, durably, when this returns. Up to 20,000 events are added by this
    /// call; more are read beside the store, and until then reading it throws `.projectionPending`.
    ///
    /// - Throws: `StoreError` with `.unknownProjection` if the store was opened without it,
    ///   `.closed`, `.suspended`, `.nestedWrite` in a write block; `.checkpointBusy` and the like
    ///   if the checkpoint cannot be written: it is built then, and the next checkpoint keeps it.
    public func rebuild<P: Projection>(_ type: P.Type) throws {
        try withWriterLock {
            try checkOpen()
            _ = try view.current.projectionState(of: type)
            try session.rebuilder?.rebuild(P.projectionName) {
                try maintenance.checkpointAlone()
            }
        }
    }

    /// What the store has, and what its projections have cost.
    public var statistics: StoreStatistics {
        let current = view.current
        return StoreStatistics(
            sequence: current.sequence, recordCount: current.recordCount,
            projections: resources.projections?.statistics ?? [])
    }
}

/// What a store has, and what its projections have cost.
public struct StoreStatistics: Hashable, Sendable {
    /// The newest event.
    public let sequence: SequenceNumber
    /// The number of records of all entities.
    public let recordCount: Int
    /// One for each projection, in the order of the options.
    public let projections: [ProjectionStatistics]
}
