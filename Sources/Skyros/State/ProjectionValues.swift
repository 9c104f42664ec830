/// The values of a store's projections after one event, as a part of its snapshot.
final class ProjectionValues: Sendable {
    /// One for each projection, in the order of the options.
    let entries: [any ProjectionEntry]
    /// Grows with every change of the values, also those that no event makes.
    let revision: SequenceNumber

    init(_ entries: [any ProjectionEntry], revision: SequenceNumber) {
        self.entries = entries
        self.revision = revision
    }
}

/// The value of one projection after one event. Immutable.
protocol ProjectionEntry: Sendable {
    /// The type of the projection.
    var type: ObjectIdentifier { get }

    /// What a checkpoint of the state after an event keeps of it.
    ///
    /// - Throws: if the value cannot be encoded.
    func stored(at sequence: SequenceNumber) throws -> StoredProjection
}
