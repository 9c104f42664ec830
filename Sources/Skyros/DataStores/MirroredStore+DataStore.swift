extension MirroredStore: DataStore {
    /// The names of the primary's entities.
    public func entityNames() throws -> [String] { try primary.entityNames() }

    /// The number of records of an entity in the primary.
    public func count(of entity: String) throws -> Int { try primary.count(of: entity) }

    /// The primary's record with this id, or nil.
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        try primary.record(entity, id)
    }

    /// Calls `body` with each record of an entity in the primary.
    public func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        try primary.forEachRecord(of: entity, body)
    }

    /// The primary's answer to a request.
    public func fetch<E: Entity>(_ request: FetchRequest<E>) throws -> [E] {
        try primary.fetch(request)
    }

    /// Runs `block`, and writes the changes that it returns to both stores.
    ///
    /// - Throws: what `block` throws; what the primary throws. An error of the shadow is reported.
    public func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        let differences = try withLock {
            var changes: [DataChange] = []
            try primary.commit(metadata) {
                changes = try block()
                return changes
            }
            return mirror(changes, metadata)
        }
        for difference in differences { onDifference(difference) }
    }

    /// Writes the shadow, and returns the changed records that differ then.
    private func mirror(_ changes: [DataChange], _ metadata: Metadata) -> [StoreDifference] {
        guard !changes.isEmpty else { return [] }
        var cause: (any Error)?
        do {
            try shadow.commit(metadata) { changes }
        } catch {
            cause = error
        }
        return changes.flatMap { change in
            keys(of: change, cause).compactMap { entity, id in
                do {
                    return try difference(entity, id, cause)
                } catch {
                    return StoreDifference(
                        entity: entity, id: id, primary: nil, shadow: nil, cause: cause ?? error)
                }
            }
        }
    }

    /// The records to compare after a change; of a deletion of all, those that are left after an
    /// error.
    private func keys(
        of change: DataChange, _ cause: (any Error)?
    ) -> [(entity: String, id: RecordID)] {
        switch change {
        case .put(let record): return [(record.entity, record.id)]
        case .delete(let entity, let id): return [(entity, id)]
        case .deleteAll(let entity):
            guard cause != nil else { return [] }
            var ids: [RecordID] = []
            try? shadow.forEachRecord(of: entity) { ids.append($0.id) }
            return ids.map { (entity, $0) }
        }
    }

    /// Makes both stores durable.
    public func flush() throws {
        try primary.flush()
        try shadow.flush()
    }

    /// Closes both stores, the second one also if the first one throws.
    public func close() throws {
        let results = [Result { try primary.close() }, Result { try shadow.close() }]
        for result in results { try result.get() }
    }
}
