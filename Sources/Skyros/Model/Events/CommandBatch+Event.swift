extension CommandBatch {
    /// The event that the log reads of the batch, once it was appended.
    ///
    /// - Throws: `CBORError` if a field name cannot be encoded.
    borrowing func event(as stamp: EventStamp) throws -> Event {
        let versioned = changes.map(\.versioned)
        let formers = versioned.enumerated().compactMap { index, change in
            change.formerVersion.map { (index, $0) }
        }
        return Event(
            sequence: stamp.sequence, time: stamp.time, metadata: metadata, intent: intent,
            key: key?.text, changes: versioned.map(\.change),
            changeAdditions: try Self.additions(of: versioned),
            versions: versioned.contains { $0.version != Evolver.firstVersion }
                ? versioned.map(\.version) : [],
            formerVersions: Dictionary(uniqueKeysWithValues: formers), schemas: schemas)
    }

    /// The fields that steps have changed, as they are read.
    private static func additions(of changes: [VersionedChange]) throws -> [Int: Fields] {
        var additions: [Int: Fields] = [:]
        for (index, change) in changes.enumerated() where !change.evolved.isEmpty {
            let names = FieldValue.array(change.evolved.map { .text($0) })
            additions[index] = try Fields(["+evolved": names])
        }
        return additions
    }
}
