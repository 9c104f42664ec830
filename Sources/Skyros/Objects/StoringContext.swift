/// What a mapping sees while it makes the entity of an object: the records as they are, and the
/// entities of related objects.
public struct StoringContext: RecordSource {
    /// The state before the object is saved.
    public let snapshot: Snapshot

    /// The entities of related objects, to be saved with their owner; each once, the last of it.
    private var related: [MappedRecord: Save] = [:]
    /// The same, in the order in which they were asked for.
    private var order: [MappedRecord] = []
    /// The records whose mappings are in progress, the innermost last.
    private var path: [MappedRecord] = []

    private typealias Save = @Sendable (inout WriteTransaction) throws -> Void

    init(on snapshot: Snapshot) {
        self.snapshot = snapshot
    }

    /// The entity of a related object, which is saved together with its owner: added if it is new,
    /// changed if the object differs from it. Two owners of one object share its entity.
    ///
    /// Nothing is saved if the owner is not.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if the mapping asks for itself, `.idChanged` if
    ///   the entity has another id than the object; what the mapping throws.
    public mutating func entity<Object, Stored>(
        for object: Object, by mapping: Mapping<Object, Stored>
    ) throws -> Stored {
        let (record, stored) = try map(object, by: mapping)
        if related.updateValue({ try $0.upsert(stored) }, forKey: record) == nil {
            order.append(record)
        }
        return stored
    }

    /// The entity of an object, which the caller saves.
    mutating func owner<Object, Stored>(
        _ object: Object, by mapping: Mapping<Object, Stored>
    ) throws -> Stored {
        try map(object, by: mapping).stored
    }

    private mutating func map<Object, Stored>(
        _ object: Object, by mapping: Mapping<Object, Stored>
    ) throws -> (record: MappedRecord, stored: Stored) {
        let id = try RecordCoding.id(mapping.id(object), of: Stored.self)
        let record = MappedRecord(entity: Stored.entityName, id: id)
        try record.checkIsNew(among: path)
        path.append(record)
        defer { path.removeLast() }
        let stored = try mapping.makeStored(object, &self)
        guard try RecordCoding.id(stored) == id else {
            throw StoreError(
                .idChanged,
                "the mapping gives the object \(id) an entity \(Stored.entityName) with another "
                    + "id; both must have the same",
                at: StoreError.Place(entity: Stored.entityName, ids: [id]))
        }
        return (record, stored)
    }

    /// Adds or changes the entities of all related objects.
    func saveRelated(in transaction: inout WriteTransaction) throws {
        for record in order { try related[record]?(&transaction) }
    }
}
