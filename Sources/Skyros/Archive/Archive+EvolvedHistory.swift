import SkyrosLog

extension Archive {
    /// Entries of a history in the newest shape that the recorded steps reach without the app's
    /// types.
    ///
    /// - Complexity: O(entries), and O(events after the checkpoint).
    /// - Returns: the entries, and how many of them show an older shape: a closure of the app leads
    ///   to the newest one, or a step failed.
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    package func evolved(
        _ entries: [HistoryEntry], of entity: String
    ) throws -> (entries: [HistoryEntry], heldBackCount: Int) {
        guard let schema = try recordedSchema(of: entity), schema.version > Evolver.firstVersion
        else { return (entries, 0) }
        let evolver = schema.declarative
        let evolved = try entries.evolved { (try? $0.evolved(by: evolver)) ?? $0 }
        let heldBackCount = evolved.count { entry in
            [entry.rowBefore, entry.rowAfter].contains { $0?.version ?? .max < schema.version }
        }
        return (evolved, heldBackCount)
    }

    /// What the log has recorded last of an entity's shape: in the checkpoint, if it is one of this
    /// log, and in the events after it.
    private func recordedSchema(of entity: String) throws -> EntitySchema? {
        var schema = try log.floor.map { try FloorState($0).schemas[entity] } ?? nil
        var next = firstSequence
        if let checkpoint = checkpointContent().0 {
            let last = SequenceNumber(rawValue: checkpoint.position.sequence)
            let isKept = last >= firstSequence && last <= sequence
            if isKept,
                let hash = try EventReader(log).stamp(of: last)?.chainHash,
                hash.rawValue == checkpoint.position.chainHash
            {
                schema = checkpoint.schemas[entity]
                next = last.next
            }
        }
        try EventReader(log).forEach(from: next, through: sequence) { event, _ in
            schema = event.schemas[entity] ?? schema
            return true
        }
        return schema
    }
}
