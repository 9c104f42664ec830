import Skyros

/// Imports an input in passes: the kinds of its fields, a check of the whole, and the writing.
struct Importer {
    let source: any ImportSource
    private(set) var kinds: FieldKinds
    /// Whether a record that the store has with other content is replaced.
    let replaces: Bool

    init(_ source: any ImportSource, types: [String: FieldKind], replaces: Bool) {
        self.source = source
        self.replaces = replaces
        kinds = FieldKinds(given: types, guesses: source.guessedKinds)
    }

    /// The result of the check.
    struct Check {
        /// The records by entity.
        fileprivate(set) var counts = NamedValues<Int>()
        fileprivate(set) var total = 0
        fileprivate var digest = StateDigest()

        /// The correlation of the events: the same for each import of these records.
        var correlation: String { "import-\(digest)" }
    }

    /// What was done to the records of an entity.
    struct Tally {
        var inserted = 0
        var replaced = 0
        /// The records that the store had already.
        var unchanged = 0
    }

    /// Reads the whole input, without a store.
    ///
    /// - Throws: `StoreError` with `.invalidInput`, naming the place of what cannot be imported.
    mutating func check(limit: Int, progress: (Int, Int) -> Void) throws -> Check {
        var rowCount = 0
        try source.forEachRow { row in
            kinds.look(at: row)
            rowCount += 1
        }
        var check = Check()
        var places: [String: [RecordID: String]] = [:]
        try source.forEachRow { row in
            let record = try kinds.record(of: row)
            let first = places[row.entity, default: [:]].updateValue(row.place, forKey: record.id)
            if let first {
                throw StoreError.input(
                    row.place, "\(row.entity) \(record.id) is there twice, first in \(first)")
            }
            // A batch has other parts besides.
            guard record.fields.bytes.count < limit / 2 else {
                throw StoreError.input(
                    row.place,
                    "its \(record.fields.bytes.count) bytes are above the limit of \(limit / 2)")
            }
            record.fields.bytes.withUnsafeBytes { bytes in
                check.digest.add(entity: row.entity, id: record.id, record: bytes)
            }
            check.counts[row.entity] = (check.counts[row.entity] ?? 0) + 1
            check.total += 1
            progress(check.total, rowCount)
        }
        return check
    }

    /// Throws if the store has one of the records with other content.
    ///
    /// - Throws: `StoreError` with `.duplicateID`.
    func compare(with state: Snapshot) throws {
        guard !replaces else { return }
        try source.forEachRow { row in
            let record = try kinds.record(of: row)
            guard let old = try state.record(row.entity, record.id), old != record else { return }
            throw StoreError(
                .duplicateID,
                "\(row.place): the store has another \(row.entity) \(record.id). Nothing was "
                    + "imported; use --replace to replace what exists",
                at: StoreError.Place(entity: row.entity, ids: [record.id]))
        }
    }

    /// Throws if a record breaks a unique index or a relation that the store's log records, or if a
    /// record and those that it needs are too large for one event.
    ///
    /// The records are written to a copy of the state, which is dropped. O(n) memory.
    ///
    /// - Throws: `StoreError` with `.uniqueViolation`, `.brokenReference`, `.evolutionFailed` or
    ///   `.limitExceeded`, naming the place of the record.
    func rehearse(
        _ check: Check, on state: Snapshot, _ metadata: Metadata, _ options: Store.Options
    ) throws {
        let schemas = state.recordedSchemas
        let isHeld = check.counts.contains { entity, _ in
            schemas[entity]?.restrictsWrites == true
        }
        guard isHeld else { return }
        let rehearsal = try Rehearsal(on: state, metadata, options)
        _ = try copy(reading: { rehearsal.state }, progress: { _ in }) { records in
            try rehearsal.write { try $0.upsert(records) }
        }
    }

    /// Writes the records that the store does not have, in events far below the limit.
    ///
    /// - Returns: what was done, by entity.
    func write(
        to store: Store, _ metadata: Metadata, total: Int, progress: (Int, Int) -> Void
    ) throws -> NamedValues<Tally> {
        try copy(reading: { store.snapshot }, progress: { progress($0, total) }) { records in
            try store.write(metadata: metadata) { try $0.upsert(records) }
        }
    }

    /// Writes the records that a store does not have, in batches. One that others refer to is
    /// written with the first of them.
    private func copy(
        reading state: @escaping () -> Snapshot, progress: (Int) -> Void,
        writing write: @escaping ([Record]) throws -> Void
    ) throws -> NamedValues<Tally> {
        var tallies = NamedValues<Tally>()
        var batch = RecordBatch()
        var done = 0
        let targets = TargetRecords(of: self, state().recordedSchemas) {
            try state().record($0, $1) != nil
        }
        let copier = RecordCopier { records in
            try write(records)
            targets.noteWritten(records)
        } finding: { entity, id, keys in
            try targets.find(entity, id, besides: &keys)
        }
        func writeBatch() throws {
            guard !batch.records.isEmpty else { return }
            do {
                try copier.copy(batch.records)
            } catch let error as StoreError {
                throw try placed(error)
            }
            batch = RecordBatch()
            progress(done)
        }
        try source.forEachRow { row in
            let record = try kinds.record(of: row)
            let old = try state().record(row.entity, record.id)
            done += 1
            var tally = tallies[row.entity] ?? Tally()
            defer { tallies[row.entity] = tally }
            if old == record {
                if targets.wasTaken(record) { tally.inserted += 1 } else { tally.unchanged += 1 }
                return
            }
            if old == nil { tally.inserted += 1 } else { tally.replaced += 1 }
            batch.add(record)
            if batch.isFull { try writeBatch() }
        }
        try writeBatch()
        return tallies
    }

    /// The error of a batch with the place of the first record that it names.
    private func placed(_ error: StoreError) throws -> StoreError {
        guard let entity = error.place.entity, !error.place.ids.isEmpty else { return error }
        let ids = Set(error.place.ids)
        var place: String?
        try source.forEachRow { row in
            guard place == nil, row.entity.isSameName(as: entity) else { return }
            if ids.contains(try kinds.record(of: row).id) { place = row.place }
        }
        guard let place else { return error }
        return StoreError(
            error.code, "\(place): \(error.message)", at: error.place, cause: error.cause)
    }
}
