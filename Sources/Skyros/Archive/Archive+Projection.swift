extension Archive {
    /// The value of a projection after an event, from all events that the store keeps through it.
    ///
    ///     let archive = try Archive(at: url, entities: [Order.self])
    ///     let sales = try archive.projection(Sales.self)
    ///
    /// - Parameters:
    ///   - type: the type of the projection.
    ///   - moment: nil for the last event.
    ///   - progress: called before each event.
    /// - Complexity: O(events up to the moment), which are replayed with the projection.
    /// - Throws: `StoreError` with `.projectionFailed` if it cannot apply an event, `.belowFloor`
    ///   if it needs events that are not kept; as ``snapshot(asOf:progress:)``.
    public func projection<P: Projection>(
        _ type: P.Type, asOf moment: Moment? = nil,
        progress: (SequenceNumber) -> Void = { _ in }
    ) throws -> P {
        try ProjectionSet.check([type])
        let reader = historyReader
        let last = try moment.map { try reader.sequence(of: $0) } ?? sequence
        return try reader.projection(of: type, through: last, progress: progress)
    }
}
