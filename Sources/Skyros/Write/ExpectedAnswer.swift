/// A read whose answer must be the same in two states.
protocol ExpectedAnswer: Sendable {
    /// Records the read in `reads`, which is of the newer state.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`; what filters throw.
    func note(in reads: ReadSet, from past: Snapshot, to newest: Snapshot) throws

    /// The answer: ids and records in the newest shape.
    func answer(in state: Snapshot) throws -> [StoredAnswer]

    /// The record whose state is the answer; nil if others count.
    func record() throws -> (entity: String, id: RecordID)?

    /// The place of the table of its records in a state; nil if there is none.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    func table(in state: Snapshot) throws -> Int?
}

/// A record of an answer.
struct StoredAnswer: Equatable {
    let id: RecordID
    let fields: [UInt8]
}

/// A record of a type, or its absence.
struct ExpectedRecord<E: Entity>: ExpectedAnswer where E.ID: Sendable {
    let id: E.ID

    func note(in reads: ReadSet, from past: Snapshot, to newest: Snapshot) throws {
        let id = try RecordCoding.id(id, of: E.self)
        // Without a table there was no record, and is none.
        guard let table = try table(in: newest) else { return }
        reads.note(id, inTableAt: table)
    }

    func table(in state: Snapshot) throws -> Int? { try state.tableIndex(of: E.self) }

    func answer(in state: Snapshot) throws -> [StoredAnswer] {
        let id = try RecordCoding.id(id, of: E.self)
        return state.answer(of: E.entityName, id)
    }

    func record() throws -> (entity: String, id: RecordID)? {
        (E.entityName, try RecordCoding.id(id, of: E.self))
    }
}

/// A record that is named without its type, or its absence.
struct ExpectedUntypedRecord: ExpectedAnswer {
    let entity: String
    let id: RecordID

    func note(in reads: ReadSet, from past: Snapshot, to newest: Snapshot) throws {
        guard let table = try table(in: newest) else { return }
        reads.note(id, inTableAt: table)
    }

    func table(in state: Snapshot) throws -> Int? { try state.knownIndex(of: entity) }

    func answer(in state: Snapshot) throws -> [StoredAnswer] { state.answer(of: entity, id) }

    func record() -> (entity: String, id: RecordID)? { (entity, id) }
}

/// The records that a request finds, in its order.
struct ExpectedFetch<E: Entity>: ExpectedAnswer {
    let request: FetchRequest<E>

    func note(in reads: ReadSet, from past: Snapshot, to newest: Snapshot) throws {
        guard let table = try table(in: newest), request.countMax > 0 else { return }
        // What comes after a full page does not change it.
        let isPaged = request.limit != nil && past.sequence < newest.sequence
        let found = isPaged ? try past.valuesWithIDs(of: request) : []
        reads.note(RecordedFetch(request, returning: found, inTableAt: table))
    }

    func answer(in state: Snapshot) throws -> [StoredAnswer] {
        guard let table = try table(in: state) else { return [] }
        return try state.valuesWithIDs(of: request).map { value, id in
            StoredAnswer(
                id: try RecordCoding.id(value), fields: state.tables[table].bytes(of: id) ?? [])
        }
    }

    func record() -> (entity: String, id: RecordID)? { nil }

    func table(in state: Snapshot) throws -> Int? { try state.tableIndex(of: E.self) }
}

extension Snapshot {
    /// The record with this id in the newest shape, if it exists.
    fileprivate func answer(of entity: String, _ id: RecordID) -> [StoredAnswer] {
        guard let table = table(entity), let fields = table.bytes(of: id) else { return [] }
        return [StoredAnswer(id: id, fields: fields)]
    }
}
