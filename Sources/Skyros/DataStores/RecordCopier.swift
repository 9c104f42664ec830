/// Writes records of one store to another, in commits that the target accepts.
package struct RecordCopier {
    private let write: ([Record]) throws -> Void
    private let find: (String, RecordID) throws -> [Record]

    init(from source: any DataStore, to target: any DataStore, _ metadata: Metadata) {
        self.init(
            writing: { records in try target.commit(metadata) { records.map { .put($0) } } },
            finding: { try source.record($0, $1).map { [$0] } ?? [] })
    }

    /// - Parameters:
    ///   - write: inserts or replaces records of the target, all or none.
    ///   - find: returns the record of the source with this id, and others that it needs; none if
    ///     the source lacks it.
    package init(
        writing write: @escaping ([Record]) throws -> Void,
        finding find: @escaping (String, RecordID) throws -> [Record]
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
        var keys = Set(records.map { Key(entity: $0.entity, id: $0.id) })
        while true {
            do {
                return try write(all)
            } catch let error as StoreError where error.code == .brokenReference {
                // Each round adds a record of the source, so the rounds end.
                let found = try error.place.references
                    .flatMap { try find($0.target, $0.targetID) }
                    .filter { keys.insert(Key(entity: $0.entity, id: $0.id)).inserted }
                guard !found.isEmpty else { throw error }
                all += found
            }
        }
    }

    private struct Key: Hashable {
        let entity: String
        let id: RecordID
    }
}
