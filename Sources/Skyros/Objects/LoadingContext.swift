/// What a mapping sees while it makes the object of an entity: the records of the same moment, and
/// related objects.
public struct LoadingContext: RecordSource {
    /// The state from which the object is loaded.
    public let snapshot: Snapshot

    /// The records whose mappings are in progress, the innermost last.
    private let path: [MappedRecord]

    init(on snapshot: Snapshot, path: [MappedRecord] = []) {
        self.snapshot = snapshot
        self.path = path
    }

    /// The related object whose entity has this id; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the mapping asks for itself, `.notDecodable`;
    ///   what the mapping throws.
    /// - Complexity: O(log n) in the number of records, without the mapping.
    public func object<Object, Stored>(
        _ id: Stored.ID, by mapping: Mapping<Object, Stored>
    ) throws -> Object? {
        guard let stored = try snapshot.get(Stored.self, id) else { return nil }
        return try object(of: stored, by: mapping)
    }

    /// The related objects whose entities have these ids, in the same order, without those that
    /// are not stored any more.
    ///
    /// - Throws: as ``object(_:by:)``.
    public func objects<Object, Stored>(
        _ ids: some Sequence<Stored.ID>, by mapping: Mapping<Object, Stored>
    ) throws -> [Object] {
        try ids.compactMap { try object($0, by: mapping) }
    }

    /// The object of an entity that was read from the snapshot.
    func object<Object, Stored>(
        of stored: Stored, by mapping: Mapping<Object, Stored>
    ) throws -> Object {
        let record = MappedRecord(
            entity: Stored.entityName, id: try RecordCoding.id(stored))
        try record.checkIsNew(among: path)
        return try mapping.makeObject(stored, LoadingContext(on: snapshot, path: path + [record]))
    }
}
