import SkyrosLog

extension HistoryReader {
    /// The value of a projection after an event, from all events that the log keeps through it.
    ///
    /// - Parameter progress: called with each event.
    /// - Throws: `StoreError` with `.projectionFailed` if it stops before, `.belowFloor` if it
    ///   needs events that are not kept; as `snapshot(asOf:)`.
    func projection<P: Projection>(
        of type: P.Type, through last: SequenceNumber, progress: (SequenceNumber) -> Void
    ) throws -> P {
        try requireState(last)
        let builder = ProjectionBuilder<P>()
        let rebuild = ProjectionRebuild([builder], self)
        var next = SequenceNumber(rawValue: log.firstSequence)
        let isWanted = {
            progress(next)
            next = next.next
            return builder.failure == nil
        }
        _ = try rebuild.advance(through: last, from: { empty }, while: isWanted)
        if let failure = builder.failure { throw StoreError(failure, of: type) }
        // Its events may have been pruned meanwhile.
        guard rebuild.sequence == last, let value = builder.value else {
            try requireState(last)
            throw Self.missing(last, last: self.last)
        }
        return value
    }
}
