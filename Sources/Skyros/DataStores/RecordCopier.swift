/// Writes records of one data store to another, in commits that the target accepts.
struct RecordCopier {
    private let source: any DataStore
    private let target: any DataStore
    private let metadata: Metadata

    init(from source: any DataStore, to target: any DataStore, _ metadata: Metadata) {
        self.source = source
        self.target = target
        self.metadata = metadata
    }

    /// Writes records, all of them or whole halves before an error.
    ///
    /// A batch above the target's limit is halved. Records to which its relations lead, and which
    /// the target lacks, are written in the same commit.
    func copy(_ records: [Record]) throws {
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
                return try target.commit(metadata) { all.map { .put($0) } }
            } catch let error as StoreError where error.code == .brokenReference {
                // Each round adds a record of the source, so the rounds end.
                let missing = error.place.references.filter { reference in
                    keys.insert(Key(entity: reference.target, id: reference.targetID)).inserted
                }
                let found = try missing.compactMap { try source.record($0.target, $0.targetID) }
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
