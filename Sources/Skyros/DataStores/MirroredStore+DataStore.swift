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
        return changes.flatMap { differences(after: $0, cause) }
    }

    /// The records that a change left different. If they cannot be read, all of them count as such.
    private func differences(
        after change: DataChange, _ cause: (any Error)?
    ) -> [StoreDifference] {
        switch change {
        case .put(let record):
            return difference(of: record.entity, record.id, cause).map { [$0] } ?? []
        case .delete(let entity, let id):
            return difference(of: entity, id, cause).map { [$0] } ?? []
        case .deleteAll(let entity):
            guard let cause else { return [] }
            var left: [RecordID] = []
            do {
                try shadow.forEachRecord(of: entity) { left.append($0.id) }
            } catch {
                return [Self.unknown(entity, nil, cause)]
            }
            return left.compactMap { difference(of: entity, $0, cause) }
        }
    }

    private func difference(
        of entity: String, _ id: RecordID, _ cause: (any Error)?
    ) -> StoreDifference? {
        do {
            return try difference(entity, id, cause)
        } catch {
            return Self.unknown(entity, id, cause ?? error)
        }
    }

    /// The difference of what cannot be read.
    private static func unknown(
        _ entity: String, _ id: RecordID?, _ cause: any Error
    ) -> StoreDifference {
        StoreDifference(entity: entity, id: id, primary: nil, shadow: nil, cause: cause)
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
