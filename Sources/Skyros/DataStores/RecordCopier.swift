/// Writes records of one store to another, in commits that the target accepts.
package struct RecordCopier {
    /// What names a record.
    package struct Key: Hashable {
        /// UTF-8: names are compared by their bytes.
        private let entity: [UInt8]
        private let id: RecordID

        package init(_ entity: String, _ id: RecordID) {
            (self.entity, self.id) = (Array(entity.utf8), id)
        }

        package init(_ record: Record) {
            self.init(record.entity, record.id)
        }
    }

    private let write: ([Record]) throws -> Void
    private let find: (String, RecordID, inout Set<Key>) throws -> [Record]

    init(from source: any DataStore, to target: any DataStore, _ metadata: Metadata) {
        self.init(from: source) { records in
            try target.commit(metadata) { records.map { .put($0) } }
        }
    }

    /// Finds records that others need by their ids in `source`.
    init(from source: any DataStore, writing write: @escaping ([Record]) throws -> Void) {
        self.init(
            writing: write,
            finding: { entity, id, keys in
                guard let record = try source.record(entity, id), keys.insert(Key(record)).inserted
                else { return [] }
                return [record]
            })
    }

    /// - Parameters:
    ///   - write: inserts or replaces records of the target, all or none.
    ///   - find: returns the record of the source with this id, and others that it needs, unless
    ///     they are among the keys, which are those of one attempt; and adds theirs to the keys.
    package init(
        writing write: @escaping ([Record]) throws -> Void,
        finding find: @escaping (String, RecordID, inout Set<Key>) throws -> [Record]
    ) {
        self.write = write
        self.find = find
    }

    /// Writes records, all of them or whole halves before an error.
    ///
    /// A batch above the target's limit is halved. Records to which its relations lead, and which
    /// the target lacks, are written in the same commit.
    package func copy(_ records: [Record]) throws {
        do {
            try commit(records)
        } catch let error as StoreError where error.code == .limitExceeded && records.count > 1 {
            let middle = records.count / 2
            try copy(Array(records[..<middle]))
            try copy(Array(records[middle...]))
        }
    }

    private func commit(_ records: [Record]) throws {
        var all = records
        var keys = Set(records.map { Key($0) })
        while true {
            do {
                return try write(all)
            } catch let error as StoreError where error.code == .brokenReference {
                // Each round adds a record of the source, so the rounds end.
                let found = try error.place.references
                    .flatMap { try find($0.target, $0.targetID, &keys) }
                guard !found.isEmpty else { throw error }
                all += found
            } catch let error as StoreError where error.code == .limitExceeded {
                guard records.count == 1, all.count > 1 else { throw error }
                throw StoreError.tooManyTargets(of: records[0], count: all.count - 1, error)
            }
        }
    }
}

extension StoreError {
    /// The error of a record that cannot be written together with those that it needs.
    fileprivate static func tooManyTargets(
        of record: Record, count: Int, _ error: StoreError
    ) -> StoreError {
        StoreError(
            .limitExceeded,
            "\(record.entity) \(record.id) leads to \(count) records that are not written yet, and "
                + "one event with all of them would be above the limit. Let records come before "
                + "those that refer to them, or raise Options.eventBytesMax",
            at: Place(entity: record.entity, ids: [record.id]), cause: error.message)
    }
}
